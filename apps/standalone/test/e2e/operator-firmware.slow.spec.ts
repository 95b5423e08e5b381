import { createHash, generateKeyPairSync, randomBytes, randomUUID, sign, verify } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { firmwareSigningPayload, type FirmwareManifest } from '@family-watch/domain/watches/contracts/firmware';
import type {
  FirmwareCheckDto,
  FirmwareGroupDto,
  FirmwareImageListDto,
  FirmwareImageUploadDto,
  RolloutDto,
  RolloutProgressDto,
} from '@family-watch/domain/watches/dto/firmware.dto';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { expectOk } from '../support/http-client.js';
import { Operator, OPERATOR_PATH, runOperatorProgramWith } from '../support/operator.js';
import { TestService } from '../support/test-service.js';
import { Watch, WATCH_PATH } from '../support/watch.js';

const FIRMWARE = `${OPERATOR_PATH}firmware/`;
const CHECK = '/apis/v2/tool/firmware/check';
const REPORT = `${WATCH_PATH}firmware/report`;
/** Model with which the watches of the tests enrol. */
const MODEL = 'W7';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const FIRMWARE_PUBLIC_KEYS = `release=${publicKey.export({ format: 'jwk' }).x ?? ''}`;

const signatureOf = (manifest: FirmwareManifest) =>
  sign(null, Buffer.from(firmwareSigningPayload(manifest)), privateKey);
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** The suite needs its own service, for FIRMWARE_PUBLIC_KEYS. */
describe('firmware', () => {
  let service: TestService;
  let operator: Operator;

  beforeAll(async () => {
    service = await TestService.start('standalone', { FIRMWARE_PUBLIC_KEYS, WATCH_ENROLMENT: 'open' });
    operator = await Operator.create(service, ['FLEET']);
  });
  afterAll(() => service.stop());

  const runProgram = (...args: string[]) =>
    runOperatorProgramWith({ FIRMWARE_PUBLIC_KEYS, PUBLIC_URL: service.url }, service, ...args);

  function writeImage(version: string, bytes: Buffer) {
    const manifest = { model: MODEL, version, size: bytes.length, digest: sha256(bytes) };
    const file = join(tmpdir(), `fw-image-${version}-${randomUUID()}.bin`);
    writeFileSync(file, bytes);
    writeFileSync(`${file}.sig`, signatureOf(manifest));
    const options = ['--model', MODEL, '--version', version, '--key-id', 'release'];
    return { manifest, args: ['firmware', 'upload', '--file', file, '--signature', `${file}.sig`, ...options] };
  }

  /** Waits until userctx knows that the bytes of the image have arrived. */
  const waitUntilReady = (imageId: string) =>
    waitUntil('the image is ready', async () => {
      const { items } = await expectOk(operator.get<FirmwareImageListDto>(`${FIRMWARE}image/list`, { model: MODEL }));
      return items.some((image) => image.imageId === imageId && image.state === 'READY');
    });

  const check = (watch: Watch, firmwareVersion = '1.0.0') =>
    expectOk(watch.post<FirmwareCheckDto>(CHECK, { firmwareVersion, battery: 80, charging: true }));

  test('an image from the command line reaches a watch, which resumes the download and verifies the image', async () => {
    const bytes = randomBytes(500_000);
    const { manifest, args } = writeImage('2.0.0', bytes);
    const [, imageId = ''] = /^(\S+) uploaded\n$/.exec(await runProgram(...args)) ?? [];
    await waitUntilReady(imageId);

    const watch = await Watch.enrol(service.url);
    const { groupId } = await expectOk(operator.post<FirmwareGroupDto>(`${FIRMWARE}group/create`, { name: 'testers' }));
    await expectOk(operator.post(`${FIRMWARE}group/watch/add`, { groupId, dids: [watch.did] }));
    const create = ['rollouts', 'create', '--image', imageId, '--group', groupId, '--waves', '100', '--battery', '50'];
    const { rolloutId } = JSON.parse(await runProgram(...create)) as RolloutDto;
    expect(await check(watch)).toMatchObject({ update: null });
    await expectOk(operator.post(`${FIRMWARE}rollout/change`, { rolloutId, action: 'START' }));

    const { update } = await check(watch);
    if (!update) throw new Error('No update was offered');
    const { deploymentId, attempt } = update;
    const report = async (state: string) => expectOk(watch.post(REPORT, { deploymentId, attempt, state }));
    await report('DOWNLOADING');
    const first = await fetch(update.downloadUrl, { headers: { range: 'bytes=0-199999' } });
    const ifRange = first.headers.get('etag') ?? '';
    const resumed = (await check(watch)).update;
    expect(resumed).toMatchObject({ deploymentId, attempt });
    const rest = await fetch(resumed?.downloadUrl ?? '', { headers: { range: 'bytes=200000-', 'if-range': ifRange } });
    expect([first.status, rest.status]).toEqual([206, 206]);
    const received = Buffer.concat([Buffer.from(await first.arrayBuffer()), Buffer.from(await rest.arrayBuffer())]);
    const { version, size, digest, signature } = update;
    expect({ version, size, digest, model: MODEL }).toEqual(manifest);
    expect(sha256(received)).toBe(digest);
    const text = Buffer.from(firmwareSigningPayload({ model: MODEL, version, size, digest }));
    expect(verify(null, text, publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
    for (const state of ['DOWNLOADED', 'INSTALLING', 'DOWNLOADING', 'SUCCESS']) await report(state);

    const { progress } = await expectOk(operator.get<RolloutProgressDto>(`${FIRMWARE}rollout/get`, { rolloutId }));
    expect(progress).toEqual([{ wave: 1, watches: 1, succeeded: 1, failed: 0, inProgress: 0 }]);
    expect(await check(watch, '2.0.0')).toMatchObject({ update: null, missingConditions: [] });
    const entries = await service.query<{ operation: string }>(
      `SELECT operation FROM userctx.operator_audit_entry WHERE operation ~* 'rollout|firmware' ORDER BY time`,
    );
    const operations = entries.map(({ operation }) => operation);
    for (const expected of ['firmware upload', 'rollouts create', 'createFirmwareGroup', 'changeRollout'])
      expect(operations).toContain(expected);
    expect(service.logs.filter((line) => line.includes('ticket='))).toEqual([]);
  });

  test('the command line rejects a wrong signature and an unreachable service with a clear message', async () => {
    const { args } = writeImage('2.1.0', randomBytes(1_000));
    const stderrOf = (...given: string[]) =>
      runProgram(...given).then(
        () => '',
        (error: unknown) => {
          const { code, stderr } = error as { code: number; stderr: string };
          return `${code} ${stderr}`;
        },
      );
    expect(await stderrOf(...args, '--version', '2.1.1')).toMatch(/^2 The signature is not valid for this image/);
    expect(await stderrOf(...args, '--url', 'http://127.0.0.1:1')).toMatch(/^2 The service cannot be reached at/);
  });

  test('REST rejects invalid requests and bytes with a clear error, and the upload can be repeated', async () => {
    const bytes = randomBytes(10_000);
    const manifest = { model: MODEL, version: '3.0.0', size: bytes.length, digest: sha256(bytes) };
    const signature = signatureOf(manifest).toString('base64url');
    const announce = (changes: object = {}) =>
      operator.post<FirmwareImageUploadDto>(`${FIRMWARE}image/create`, {
        ...manifest,
        signature,
        keyId: 'release',
        ...changes,
      });
    const invalid = [{ version: '3.0' }, { version: 'latest' }, { size: 2 ** 40 }, { digest: 'x' }, { model: 'W\n7' }];
    for (const changes of invalid) expect((await announce(changes)).status).toBe(400);
    const { imageId, uploadUrl } = await expectOk(announce());
    const put = async (body: Buffer) => {
      const response = await fetch(uploadUrl ?? '', { method: 'PUT', body: new Uint8Array(body) });
      return (await response.json()) as { code: number; reason?: string };
    };
    expect(await put(randomBytes(10_000))).toMatchObject({ reason: 'DIGEST_MISMATCH' });
    const create = (request: object) => operator.post(`${FIRMWARE}rollout/create`, { imageId, ...request });
    expect((await create({})).body['reason']).toBe('FIRMWARE_IMAGE_STATE');
    expect(await put(bytes)).toMatchObject({ code: 0 });
    await waitUntilReady(imageId);
    const wrongRollouts = [
      { waves: [] },
      { waves: [100, 100] },
      { waves: [10, 50] },
      { waves: ['10', 100] },
      { waves: Array.from({ length: 11 }, (_, index) => index + 90) },
      { errorThreshold: 0 },
      { successThreshold: 101 },
      { errorAction: 'IGNORE' },
    ];
    for (const request of wrongRollouts) expect((await create(request)).body['reason']).toBe('VALIDATION_FAILED');
    expect((await create({ groupId: 'x' })).body['reason']).toBe('FIRMWARE_GROUP_NOT_FOUND');
    await expectOk(create({}));

    const watch = await Watch.enrol(service.url);
    const wrongReports = [
      { deploymentId: randomUUID(), attempt: 3, state: 'SUCCESS' },
      { deploymentId: randomUUID(), attempt: 1, state: 'SCHEDULED' },
      { deploymentId: randomUUID(), attempt: 1, state: 'FAILED', error: 'x'.repeat(257) },
    ];
    for (const request of wrongReports) expect((await watch.post(REPORT, request)).status).toBe(400);
    expect((await watch.post(CHECK, { firmwareVersion: '', battery: 101, charging: 'no' })).status).toBe(400);
  });
});
