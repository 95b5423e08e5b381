import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ChildRead } from '@family-watch/domain/privacy/contracts/child-read';
import { withClient } from '@family-watch/testing/database/test-server';
import { waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { AccessLogService } from '../../../src/privacy/access-log/access-log.service.js';
import { ChildReadRepository } from '../../../src/privacy/access-log/child-read.repository.js';
import { SosService } from '../../../src/sos/sos.service.js';
import { UserctxChildReads } from '../../../src/infrastructure/userctx-infrastructure.js';
import type { ApiClient } from '../../support/api-client.js';
import { FamilyTestEnvironment } from '../../support/family-test-environment.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let environment: FamilyTestEnvironment;
let log: AccessLogService;
let reads: UserctxChildReads;
let owner: ApiClient;
let guardian: ApiClient;
let cid: string;

beforeAll(async () => {
  environment = await FamilyTestEnvironment.open();
  log = environment.app.get(AccessLogService, { strict: false });
  reads = environment.app.get(UserctxChildReads);
});
afterAll(() => environment.close());
beforeEach(async () => {
  owner = await environment.createPerson('Anna');
  guardian = await environment.createPerson('Ben');
  cid = await owner.createChild();
  await owner.addMember(guardian, { role: 2, permissions: ['LOCATION'] });
});

const entriesOf = async (reader: ApiClient, query = {}) =>
  (await reader.get('account/access-log/get', { cid, ...query })).body['items'] as object[];

/** Stores what was recorded so far, and waits until the log contains `count` entries. */
async function entriesAfterFlush(count: number): Promise<object[]> {
  await reads.flush();
  return waitUntilFound(`${count} entries of the access log`, async () => {
    const entries = await entriesOf(owner);
    return entries.length >= count ? entries : undefined;
  });
}

const readOf = (viewer: ApiClient, hour: number): ChildRead => ({ viewer: `user:${viewer.id}`, kind: 'TRACK', hour });
const append = (...found: ChildRead[]) => log.append(new Map([[cid, found]]), Date.now());
const asAdministrator = (sql: string) =>
  withClient(environment.testDatabase.adminUrl, (client) => client.query(sql, [cid]));

describe('the access log of a child', () => {
  test('contains each member who saw the location or the track, once per kind and hour', async () => {
    const familyId = await owner.familyId();
    const watch = await environment.createBoundWatch(familyId, cid);
    await environment.query(
      `INSERT INTO userctx.child_location
         (cid, did, latitude, longitude, position_time, radius, point_type, flags, received_at)
       VALUES ($1, $2, '31.2', '121.4', $3, 10, 1, 0, $3)`,
      [cid, watch.did, Date.now()],
    );
    const period = { from: Date.now() - DAY_MS, to: Date.now() };
    for (let request = 0; request < 3; request += 1) {
      await guardian.get('location/track', { cid: cid.toUpperCase(), ...period });
      await guardian.get('location/visits', { cid, ...period });
    }
    await guardian.get('fence/event/list', { cid });
    await owner.get('location/get', { cid });
    await owner.get('child/get');
    await watch.get('location/get', { cid });
    const { body } = await owner.post('location/share/create', { cid });
    const shared = await fetch(new URL(new URL(String(body['url'])).pathname, environment.baseUrl));
    expect(shared.status).toBe(200);
    const user = ({ id }: ApiClient) => ({ type: 'USER', id });
    const entries = await entriesAfterFlush(4);
    expect(entries).toHaveLength(4);
    expect(entries).toEqual(
      expect.arrayContaining([
        { viewer: user(guardian), kind: 'TRACK', hour: expect.any(Number) },
        { viewer: user(guardian), kind: 'FENCE_EVENTS', hour: expect.any(Number) },
        { viewer: user(owner), kind: 'LOCATION', hour: expect.any(Number) },
        { viewer: { type: 'SHARE_LINK', id: body['shareId'] }, kind: 'LOCATION', hour: expect.any(Number) },
      ]),
    );
    for (const { hour } of entries as { hour: number }[]) expect(hour % HOUR_MS).toBe(0);
  });

  test('contains who saw the location of an SOS by acknowledging it', async () => {
    const watch = await environment.createBoundWatch(await owner.familyId(), cid);
    const sos = environment.app.get(SosService, { strict: false });
    const { sosId } = await sos.raise({ type: 'watch', id: String(watch.did), sessionId: '' }, {});
    expect((await owner.post('sos/ack', { cid, sosId })).status).toBe(200);
    expect(await entriesAfterFlush(1)).toMatchObject([{ viewer: { id: owner.id }, kind: 'SOS' }]);
  });

  test('is shown to guardians, but not to caregivers', async () => {
    const caregiver = await environment.createPerson('Cleo');
    await owner.addMember(caregiver, { role: 3, permissions: ['LOCATION', 'ALERTS'] });
    expect((await guardian.get('account/access-log/get', { cid })).status).toBe(200);
    expect((await caregiver.get('account/access-log/get', { cid })).body['reason']).toBe('PERMISSION_MISSING');
  });

  test('is returned in pages, the last entries first, also for one day only', async () => {
    const days = [0, 1, 2].map((day) => day * DAY_MS);
    await append(...days.flatMap((day) => [readOf(owner, day), readOf(guardian, day + HOUR_MS)]));
    const first = await guardian.get('account/access-log/get', { cid, limit: 4 });
    const rest = await guardian.get('account/access-log/get', { cid, cursor: String(first.body['nextCursor']) });
    const hours = [first, rest].flatMap(({ body }) => (body['items'] as ChildRead[]).map(({ hour }) => hour));
    expect(hours).toEqual(days.toReversed().flatMap((day) => [day + HOUR_MS, day]));
    expect(rest.body['nextCursor']).toBeNull();
    expect(await entriesOf(owner, { from: DAY_MS, to: 2 * DAY_MS })).toMatchObject([
      { hour: DAY_MS + HOUR_MS },
      { hour: DAY_MS },
    ]);
    expect((await owner.get('account/access-log/get', { cid, cursor: 'x' })).body['reason']).toBe('VALIDATION_FAILED');
  });

  test('contains a read once that several apps or processes report at the same time', async () => {
    await Promise.all(Array.from({ length: 5 }, () => append(readOf(owner, 0), readOf(guardian, 0), readOf(owner, 0))));
    expect(await entriesOf(owner)).toHaveLength(2);
    expect(await log.verify(cid)).toEqual({ entryCount: 2, brokenAt: null });
  });

  test('contains reads that the gateway and mcdisk report', async () => {
    const event = (name: 'gateway.child-data.read' | 'mcdisk.child-data.read', kind: ChildRead['kind']) => ({
      id: randomUUID(),
      name,
      key: cid,
      time: Date.now(),
      payload: { cid, reads: [{ ...readOf(guardian, 0), kind }] },
    });
    await environment.publish([event('gateway.child-data.read', 'CHAT'), event('mcdisk.child-data.read', 'MEDIA')]);
    expect(await entriesOf(owner)).toMatchObject([{ kind: 'MEDIA' }, { kind: 'CHAT' }]);
  });

  test('keeps what was read directly before the process stops', async () => {
    const replica = await environment.replica({}, { isEventBusDisabled: true });
    replica.get(UserctxChildReads).recordCaller({ type: 'user', id: guardian.id }, cid, 'SOS');
    await environment.closeReplica(replica);
    const entries = await entriesAfterFlush(1);
    expect(entries).toMatchObject([{ viewer: { id: guardian.id }, kind: 'SOS' }]);
  });
});

describe('the hash chain of an access log', () => {
  beforeEach(() => append(...[0, 1, 2, 3].map((hour) => readOf(guardian, hour * HOUR_MS))));

  test('is intact as long as entries are only added', async () => {
    expect(await log.verify(cid)).toEqual({ entryCount: 4, brokenAt: null });
    expect(await log.verify(randomUUID())).toEqual({ entryCount: 0, brokenAt: null });
  });

  test.each([
    ['a changed viewer', `UPDATE userctx.child_read SET viewer = 'user:nobody' WHERE cid = $1 AND sequence = 2`, 2],
    ['a changed hour', 'UPDATE userctx.child_read SET hour = 7 WHERE cid = $1 AND sequence = 4', 4],
    ['a removed entry', 'DELETE FROM userctx.child_read WHERE cid = $1 AND sequence = 3', 3],
    ['a removed first entry', 'DELETE FROM userctx.child_read WHERE cid = $1 AND sequence = 1', 1],
    ['a removed last entry', 'DELETE FROM userctx.child_read WHERE cid = $1 AND sequence = 4', 4],
  ])('reveals %s', async (_, sql, brokenAt) => {
    await asAdministrator(sql);
    expect(await log.verify(cid)).toEqual({ entryCount: 4, brokenAt });
  });

  test('cannot be changed or shortened by the runtime role', async () => {
    for (const statement of [
      'UPDATE userctx.child_read SET hour = 0 WHERE cid = $1',
      'DELETE FROM userctx.child_read WHERE cid = $1',
    ])
      await expect(environment.query(statement, [cid])).rejects.toThrow('permission denied');
    await expect(environment.query('TRUNCATE userctx.child_read')).rejects.toThrow('permission denied');
    await expect(
      environment.query('SELECT userctx.delete_expired_child_reads($1, $2)', [cid, Date.now() - 29 * DAY_MS]),
    ).rejects.toThrow('at least 30 days');
    await expect(environment.query('SELECT userctx.erase_child_reads($1)', [cid])).rejects.toThrow('with the child');
    expect(await log.verify(cid)).toEqual({ entryCount: 4, brokenAt: null });
  });

  test('stays intact when entries are deleted after their retention', async () => {
    const longAgo = Date.now() - 370 * DAY_MS;
    await asAdministrator('DELETE FROM userctx.child_read WHERE cid = $1');
    await asAdministrator('DELETE FROM userctx.child_read_chain WHERE cid = $1');
    await log.append(new Map([[cid, [readOf(owner, 0), readOf(owner, HOUR_MS)]]]), longAgo);
    await append(readOf(owner, 2 * HOUR_MS));
    await log.deleteExpired(Date.now() - 10 * DAY_MS);
    expect(await log.verify(cid)).toEqual({ entryCount: 3, brokenAt: null });
    await log.deleteExpired(Date.now());
    expect(await entriesOf(owner)).toMatchObject([{ hour: 2 * HOUR_MS }]);
    expect(await log.verify(cid)).toEqual({ entryCount: 1, brokenAt: null });
    await append(readOf(owner, 3 * HOUR_MS));
    expect(await log.verify(cid)).toEqual({ entryCount: 2, brokenAt: null });
    await asAdministrator('DELETE FROM userctx.child_read WHERE cid = $1 AND sequence = 3');
    expect(await log.verify(cid)).toEqual({ entryCount: 2, brokenAt: 3 });
  });

  test('is intact when entries expire while the chain is verified', async () => {
    const repository = environment.app.get(ChildReadRepository, { strict: false });
    const findRange = repository.findRange.bind(repository);
    repository.findRange = async (...range) => {
      repository.findRange = findRange;
      await append(readOf(owner, 9 * HOUR_MS));
      await environment.query('SELECT userctx.delete_expired_child_reads($1, $2)', [cid, Date.now() - 30.1 * DAY_MS]);
      return findRange(...range);
    };
    await asAdministrator('DELETE FROM userctx.child_read WHERE cid = $1');
    await asAdministrator('DELETE FROM userctx.child_read_chain WHERE cid = $1');
    await log.append(new Map([[cid, [readOf(owner, 0)]]]), Date.now() - 40 * DAY_MS);
    expect(await log.verify(cid)).toEqual({ entryCount: 1, brokenAt: null });
  });

  test('is erased with the child, whose later reads are dropped', async () => {
    await asAdministrator('DELETE FROM userctx.child WHERE cid = $1');
    const payload = { familyId: randomUUID(), cid };
    await environment.publish([{ id: randomUUID(), name: 'userctx.child.erased', key: cid, time: 0, payload }]);
    await append(readOf(owner, 0));
    for (const table of ['child_read', 'child_read_chain'])
      expect(await environment.query(`SELECT FROM userctx.${table} WHERE cid = $1`, [cid])).toEqual([]);
  });
});
