import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MAX_ENROLMENT_LIST_ROWS } from '@family-watch/domain/operators/contracts/enrolment-list';
import type {
  EnrolmentListPageDto,
  EnrolmentListResultsDto,
  WatchStatesDto,
} from '@family-watch/domain/operators/dto/fleet.dto';
import { manufacturerSigningPayload } from '@family-watch/domain/watches/contracts/watch';
import { expectOk } from '../support/http-client.js';
import { Operator, OPERATOR_PATH, runOperatorProgram } from '../support/operator.js';
import { Parent } from '../support/parent.js';
import { TestService } from '../support/test-service.js';
import { imeiOf, Watch, WATCH_PATH } from '../support/watch.js';

const ADD = `${OPERATOR_PATH}enrolment-list/add`;
const REMOVE = `${OPERATOR_PATH}enrolment-list/remove`;
const LIST = `${OPERATOR_PATH}enrolment-list/list`;
const WATCH_STATES = `${OPERATOR_PATH}watch/get`;
const REVOKE_KEY = `${OPERATOR_PATH}watch/revoke-key`;

/** A manufacturer with a key that signs the keys of its watches. */
function createManufacturer() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const makerSignature = ({ imei, publicKey: key }: Watch) =>
    sign(null, Buffer.from(manufacturerSigningPayload(imei, key)), privateKey).toString('base64url');
  return { makerKey: publicKey.export({ format: 'jwk' }).x ?? '', makerSignature };
}

/** The suite needs WATCH_ENROLMENT=list, the default in production. */
describe('operators of the fleet', () => {
  let service: TestService;
  let operator: Operator;
  const { makerKey, makerSignature } = createManufacturer();

  beforeAll(async () => {
    service = await TestService.start('standalone', { WATCH_ENROLMENT: 'list' });
    operator = await Operator.create(service, ['FLEET']);
  });
  afterAll(() => service.stop());

  const change = async (path: string, request: object) =>
    (await expectOk(operator.post<EnrolmentListResultsDto>(path, request))).results;

  async function enrolListed(): Promise<Watch> {
    const watch = Watch.create(service.url);
    await change(ADD, { makerKey, imeis: [watch.imei] });
    await watch.enrol({ makerSignature: makerSignature(watch) });
    return watch;
  }

  const statesOf = async (query: { did: number } | { imei: string }) =>
    (await expectOk(operator.get<WatchStatesDto>(WATCH_STATES, query))).items;

  test('a watch enrols only while its IMEI is listed, with the signature of the listed manufacturer', async () => {
    const watch = Watch.create(service.url);
    const enrol = async (signature: string) => {
      const request = { ...(await watch.createEnrolmentRequest()), makerSignature: signature };
      return (await watch.post(`${WATCH_PATH}enrol`, request)).body['reason'] ?? 'ok';
    };
    expect(await enrol(makerSignature(watch))).toBe('ENROLMENT_NOT_LISTED');
    expect(await change(ADD, { makerKey, imeis: [watch.imei] })).toEqual(['ADDED']);
    expect(await enrol(createManufacturer().makerSignature(watch))).toBe('ENROLMENT_NOT_LISTED');
    expect(await enrol(makerSignature(watch))).toBe('ok');
    expect(await change(REMOVE, { imeis: [watch.imei, watch.imei] })).toEqual(['REMOVED', 'DUPLICATE']);
    expect(await enrol(makerSignature(watch))).toBe('ENROLMENT_NOT_LISTED');
    expect(await change(REMOVE, { imeis: [watch.imei] })).toEqual(['NOT_LISTED']);
  });

  test('a request adds 10,000 IMEIs with a result for each, and no request adds more', async () => {
    const imeis = Array.from({ length: MAX_ENROLMENT_LIST_ROWS }, (_, index) =>
      imeiOf(`86${String(index).padStart(12, '0')}`),
    );
    const [first = '', second = ''] = imeis;
    const rows = [...imeis.slice(0, -2), first, '490154203237519'];
    const results = await change(ADD, { makerKey, imeis: rows });
    expect(results).toHaveLength(rows.length);
    expect(new Set(results.slice(0, -2))).toEqual(new Set(['ADDED']));
    expect(results.slice(-2)).toEqual(['DUPLICATE', 'INVALID']);
    expect(await change(ADD, { makerKey, imeis: [first] })).toEqual(['UNCHANGED']);
    const { makerKey: otherKey } = createManufacturer();
    expect(await change(ADD, { makerKey: otherKey, imeis: [second] })).toEqual(['UPDATED']);
    const tooMany = await operator.post(ADD, { makerKey, imeis: [...imeis, '490154203237518'] });
    expect([tooMany.status, tooMany.body['reason']]).toEqual([400, 'VALIDATION_FAILED']);
    const invalidKey = await operator.post(ADD, { makerKey: 'A'.repeat(43), imeis });
    expect([invalidKey.status, invalidKey.body['reason']]).toEqual([400, 'VALIDATION_FAILED']);

    const page = (query: object) => expectOk(operator.get<EnrolmentListPageDto>(LIST, { limit: 2, ...query }));
    const { items } = await page({ imei: second });
    expect(items).toEqual([{ imei: second, makerKey: otherKey, listedAt: expect.any(Number) }]);
    const { nextCursor, items: firstItems } = await page({});
    const { items: secondItems } = await page({ cursor: nextCursor });
    const listed = [...firstItems, ...secondItems].map(({ imei }) => imei);
    expect(new Set(listed).size).toBe(4);
    expect(listed).toEqual(listed.toSorted());
    expect((await operator.get(LIST, { cursor: 'x' })).status).toBe(400);
  });

  test('the command line imports a CSV file, names its invalid lines, and lists and removes entries', async () => {
    const [first, second] = [Watch.create(service.url), Watch.create(service.url)];
    const file = join(tmpdir(), `fw-watches-${first.imei}.csv`);
    writeFileSync(
      file,
      `imei,makerKey\r\n${first.imei}, ${makerKey}\r\n${second.imei},${makerKey}\n123,${makerKey}\n\n${second.imei},x\n`,
    );
    // Exit code 1 says that lines are invalid.
    await expect(runOperatorProgram(service, 'enrolment-list', 'import', '--file', file)).rejects.toMatchObject({
      code: 1,
      stdout: 'line 4 is invalid\nline 6 is invalid\n2 ADDED\n2 INVALID\n',
    });
    await first.enrol({ makerSignature: makerSignature(first) });
    expect(await runOperatorProgram(service, 'enrolment-list', 'list', '--imei', second.imei)).toContain(
      `${second.imei},${makerKey},`,
    );
    expect(await runOperatorProgram(service, 'enrolment-list', 'remove', second.imei)).toBe(`${second.imei} REMOVED\n`);
    const entries = await service.query<{ operation: string; fields: object }>(
      `SELECT operation, fields FROM userctx.operator_audit_entry WHERE actor = 'command-line' ORDER BY time DESC LIMIT 2`,
    );
    expect(entries).toEqual([
      { operation: 'enrolment-list remove', fields: { imeis: second.imei } },
      { operation: 'enrolment-list list', fields: { imei: second.imei } },
    ]);
  });

  test('states of a watch are found by did and IMEI, without position and without data of the child', async () => {
    const watch = await enrolListed();
    const unbound = {
      did: watch.did,
      imei: watch.imei,
      listed: true,
      model: 'W7',
      firmwareVersion: '1.0.0',
      enrolledAt: expect.any(Number),
      lastContactAt: expect.any(Number),
      revokedAt: null,
      familyId: null,
      boundAt: null,
      online: null,
      battery: null,
    };
    expect(await statesOf({ did: watch.did })).toEqual([unbound]);
    expect(await statesOf({ imei: watch.imei })).toEqual([unbound]);
    const owner = await Parent.signUp(service);
    const cid = await owner.createChild();
    await expectOk(owner.post('device/bind', { ...(await watch.createBindCode()), cid }));
    const familyId = await owner.findOwnFamilyId();
    expect(await statesOf({ did: watch.did })).toEqual([{ ...unbound, familyId, boundAt: expect.any(Number) }]);
    expect(await statesOf({ did: 1 })).toEqual([]);
    expect(await statesOf({ imei: '490154203237518' })).toEqual([]);
    const invalid: Record<string, string | number>[] = [
      {},
      { did: watch.did, imei: watch.imei },
      { imei: '490154203237519' },
    ];
    for (const query of invalid) expect((await operator.get(WATCH_STATES, query)).status).toBe(400);
  });

  test.each(['REST', 'the command line'])(
    'A9 revoking a key by %s unbinds the watch and ends its token and socket within seconds',
    async (way) => {
      const watch = await enrolListed();
      const owner = await Parent.signUp(service);
      const cid = await owner.createChild();
      await expectOk(owner.post('device/bind', { ...(await watch.createBindCode()), cid }));
      const socket = await watch.connect();
      if (way === 'REST') await expectOk(operator.post(REVOKE_KEY, { did: watch.did }));
      else await runOperatorProgram(service, 'watch', 'revoke-key', '--did', String(watch.did));
      await socket.waitForDisconnect();
      expect((await watch.post(`${WATCH_PATH}steps/report`, { stepTotal: 1 })).status).toBe(401);
      expect(await watch.post(`${WATCH_PATH}token/create`, await watch.createTokenRequest())).toMatchObject({
        status: 401,
        body: { reason: 'SIGNATURE_INVALID' },
      });
      expect(await statesOf({ did: watch.did })).toMatchObject([{ familyId: null, revokedAt: expect.any(Number) }]);
      expect((await owner.get('device/get', { did: watch.did })).status).toBe(404);
      expect((await operator.post(REVOKE_KEY, { did: watch.did })).body['reason']).toBe('WATCH_NOT_FOUND');
    },
  );
});
