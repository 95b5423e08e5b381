import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { distantWeekday } from '../support/distant-weekday.js';
import { FamilyFixture } from '../support/family-fixture.js';
import type { Parent } from '../support/parent.js';
import { TestService } from '../support/test-service.js';
import { WATCH_PATH } from '../support/watch.js';

interface Settings {
  version: number;
  state: string;
  appliedVersion: number | null;
  reason: string | null;
}

/** One change per kind of settings: its operation, the operation that reads its state, and its notice. */
const RESOURCES = [
  ['ALARM_CLOCK', 'device/alarm-clock/create', { hour: 7, minute: 30 }, 'device/alarm-clock/get', 'AlarmClock'],
  [
    'SCHOOL_DISABLE',
    'device/school-disable/create',
    { start: '08:00', end: '12:00', weekdays: [distantWeekday()] },
    'device/school-disable/get',
    'SchoolDisable',
  ],
  [
    'REJECT_STRANGER',
    'device/reject-stranger/update',
    { enabled: false },
    'device/reject-stranger/get',
    'RejectStranger',
  ],
  ['DEVICE', 'location/mode/update', { mode: 'FOLLOW', expiresIn: 600 }, 'device/settings/get', 'DeviceSettings'],
] as const;

describe('settings of a watch', () => {
  let service: TestService;
  let fixture: FamilyFixture;
  let watch: FamilyFixture['watch'];

  beforeAll(async () => {
    service = await TestService.shared('standalone');
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    fixture = await FamilyFixture.create(service);
    watch = fixture.watch;
  });
  afterEach(() => fixture.disconnectAll());

  const noticeAt = (client: TestClient, kind: string, version: number) =>
    client.messagesOfKind(kind).find(({ payload }) => (payload as Settings).version === version);

  async function waitForNotice(client: TestClient, kind: string, version: number) {
    await client.waitFor(() => noticeAt(client, kind, version) !== undefined, `${kind} of version ${version}`);
    const found = noticeAt(client, kind, version);
    if (!found) throw new Error(`No ${kind}`);
    return found;
  }

  async function readSettings(get: string, by: Parent = fixture.owner): Promise<Settings> {
    const { status, body, text } = await by.get(get, { did: watch.did });
    if (status !== 200) throw new Error(text);
    return body as unknown as Settings;
  }

  /** Waits until the settings have these values: userctx receives the acknowledgement of the watch by event. */
  async function waitForState(get: string, expected: Partial<Settings>): Promise<void> {
    await waitFor(async () => expect(await readSettings(get)).toMatchObject(expected));
  }

  async function changeSettings(path: string, fields: object): Promise<number> {
    const { status, body, text } = await fixture.owner.post<{ version: number }>(path, { did: watch.did, ...fields });
    if (status !== 200) throw new Error(text);
    return body.version;
  }

  describe.each(RESOURCES)('settings of %s', (resource, path, fields, get, name) => {
    const kind = `${name}ChangeNoticeMessage`;

    test('the watch receives the notice, fetches and acknowledges the change; the parent sees each state', async () => {
      const clients = [await watch.connect(), await fixture.owner.connect(), await fixture.guardian.connect()] as const;
      expect(await readSettings(get)).toMatchObject({ version: 0, state: 'APPLIED' });
      const version = await changeSettings(path, fields);
      expect(version).toBe(1);
      for (const client of clients) {
        expect(await waitForNotice(client, kind, version)).toMatchObject({
          did: watch.did,
          cid: fixture.cid,
          from: { type: 'system' },
          payload: { did: watch.did, version },
        });
      }
      expect(await readSettings(get)).toMatchObject({ version, state: 'PENDING', appliedVersion: null });
      const pulled = await watch.get<Record<string, Settings>>(`${WATCH_PATH}settings/get`, { resources: resource });
      expect(Object.keys(pulled.body).toSorted()).toEqual([resource, 'timeZone'].toSorted());
      expect(pulled.body[resource]?.version).toBe(version);

      const { id: messageId } = await waitForNotice(clients[0], kind, version);
      const rejection = { messageId, status: 'REJECTED', version, reason: 'MEMORY_FULL' };
      expect(await clients[0].send('AckMessage', rejection)).toMatchObject({ ok: true });
      await waitForState(get, { version, state: 'REJECTED', appliedVersion: null, reason: 'MEMORY_FULL' });
      expect(await clients[0].send('AckMessage', { messageId, status: 'APPLIED', version })).toMatchObject({
        ok: true,
      });
      await waitForState(get, { version, state: 'APPLIED', appliedVersion: version, reason: null });
      expect(await readSettings(get, fixture.guardian)).toMatchObject({ state: 'APPLIED' });
      for (const phone of clients.slice(1)) {
        await phone.waitFor(() => phone.messagesOfKind(kind).length >= 3, 'what the watch made of it');
        const states = phone.messagesOfKind(kind).map(({ payload }) => (payload as Settings).state);
        expect(states).toEqual([undefined, 'REJECTED', 'APPLIED']);
      }
      expect(clients[0].messagesOfKind(kind)).toHaveLength(1);
    });
  });

  test('the acknowledgement of a guardian does not change the state of the settings', async () => {
    const phone = await fixture.guardian.connect();
    const version = await changeSettings('device/alarm-clock/create', { hour: 7, minute: 30 });
    const { id: messageId } = await waitForNotice(phone, 'AlarmClockChangeNoticeMessage', version);
    expect(await phone.send('AckMessage', { messageId, status: 'APPLIED', version })).toMatchObject({ ok: true });
    await sleep(500);
    expect(await readSettings('device/alarm-clock/get')).toMatchObject({ state: 'PENDING', appliedVersion: null });
  });

  test('of two concurrent updates with the same version, one is rejected as stale', async () => {
    const { owner, guardian } = fixture;
    const seen = (await readSettings('device/alarm-clock/get')).version;
    const request = { did: watch.did, hour: 7, minute: 0, version: seen };
    const answers = await Promise.all(
      [owner, guardian].map((parent) => parent.post('device/alarm-clock/create', request)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 409_015,
      reason: 'VERSION_STALE',
    });
    expect(await readSettings('device/alarm-clock/get')).toMatchObject({ version: seen + 1 });
  });
});
