import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ChildDeletionService } from '../../../src/families/children/child-deletion.service.js';
import { FenceMonitorService } from '../../../src/locations/fences/fence-monitor.service.js';
import { LocationIntakeService } from '../../../src/locations/location-intake.service.js';
import { ALERT_SMS_JOB, AlertSmsService } from '../../../src/sos/alert-sms.service.js';
import { SOS_ESCALATION_JOB, SosEscalationService } from '../../../src/sos/sos-escalation.service.js';
import { SosService } from '../../../src/sos/sos.service.js';
import { DeviceSettingsService } from '../../../src/watches/settings/device-settings.service.js';
import { WatchBindingService } from '../../../src/watches/binding/watch-binding.service.js';
import { createBoundFamily, type BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { RecordedAlerts } from '../../support/recorded-alerts.js';
import { TestWatch } from '../../support/test-watch.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let calls: SosService;
let owner: Principal;
let family: BoundFamilyFixture;
let recordedAlerts: RecordedAlerts;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The jobs and the outbox relay are disabled: only the tests advance the time and deliver events.
  replica = await environment.replica({}, { disabledJobs: [SOS_ESCALATION_JOB, ALERT_SMS_JOB], isRelayDisabled: true });
  calls = replica.get(SosService);
  recordedAlerts = new RecordedAlerts(replica);
});
beforeEach(async () => {
  // SOS calls and alert SMS of other tests must not be due in this test.
  await environment.query('DELETE FROM userctx.sos');
  await environment.query('DELETE FROM userctx.alert_sms');
  family = await createBoundFamily(environment, replica);
  owner = family.owner;
});
afterAll(() => environment.close());

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const errorWith = (reason: string) => expect.objectContaining({ reason });
const createLocation = () => ({
  latitude: '31.2304',
  longitude: '121.4737',
  radius: 12,
  pointType: 1,
  positionTime: Date.now(),
});
const raiseSos = (fields: { time?: number; location?: unknown } = {}) => calls.raise(family.watch.principal, fields);
const reportLocation = (point: unknown) =>
  replica.get(LocationIntakeService, { strict: false }).process({
    did: family.watch.did,
    points: [point],
    receivedAt: Date.now(),
  });
const listSosCalls = async () => (await calls.list(owner, { cid: family.cid })).items;

const addGuardian = (permissions: 'ALERTS'[]) =>
  environment.addMember(replica, family.familyId, { role: 2, permissions });

/** Returns the published events about this child's SOS calls, oldest first. */
async function publishedEvents(): Promise<string[]> {
  const rows = await environment.query<{ name: string }>(
    `SELECT name FROM userctx.outbox WHERE name LIKE 'userctx.sos.%' AND payload->>'cid' = $1 ORDER BY position`,
    [family.cid],
  );
  return rows.map(({ name }) => name.slice('userctx.sos.'.length));
}

describe('an SOS', () => {
  test('is published when it is raised, acknowledged and resolved', async () => {
    const point = createLocation();
    const time = Date.now() - 5_000;
    const { sosId, state } = await raiseSos({ time, location: point });
    expect(state).toBe('RAISED');
    const [event] = (await environment.events('userctx.sos.raised', family.familyId)).filter(
      ({ cid }) => cid === family.cid,
    );
    expect(event).toEqual({ familyId: family.familyId, cid: family.cid, did: family.watch.did, sosId, time });
    if (event)
      await environment.deliver(replica, 'userctx.sos.begin-notifying', {
        name: 'userctx.sos.raised',
        payload: event,
      });
    expect(await listSosCalls()).toMatchObject([
      { sosId, state: 'NOTIFYING', raisedAt: time, location: point, acknowledgedBy: null },
    ]);
    const helper = await addGuardian(['ALERTS']);
    const request = { cid: family.cid, sosId };
    expect(await calls.acknowledge(helper, request)).toMatchObject({
      state: 'ACKNOWLEDGED',
      acknowledgedBy: `user:${helper.id}`,
    });
    // Later callers receive the member who acknowledged first, and no event is published again.
    expect(await calls.acknowledge(owner, request)).toMatchObject({ acknowledgedBy: `user:${helper.id}` });
    expect(await calls.resolve(owner, request)).toMatchObject({ state: 'RESOLVED', resolvedBy: `user:${owner.id}` });
    await calls.resolve(helper, request);
    expect(await calls.acknowledge(helper, request)).toMatchObject({ state: 'RESOLVED' });
    expect(await publishedEvents()).toEqual(['raised', 'acknowledged', 'resolved']);
  });

  test("updates the child's location as a location report does", async () => {
    await raiseSos({ location: createLocation() });
    const [location] = await environment.query('SELECT 1 FROM userctx.child_location WHERE cid = $1', [family.cid]);
    expect(location).toBeDefined();
  });

  test('is stored although the evaluation of fences for its location fails', async () => {
    const fences = jest.spyOn(replica.get(FenceMonitorService, { strict: false }), 'evaluate');
    fences.mockRejectedValue(new Error('Fence evaluation failed'));
    await raiseSos({ location: createLocation() }).finally(() => fences.mockRestore());
    expect(await listSosCalls()).toMatchObject([{ state: 'RAISED', location: { latitude: '31.2304' } }]);
  });

  test.each([[{ latitude: 'north' }], ['here'], [null], [42], [[]]])(
    'is stored without a location when the reported location is %j',
    async (location) => {
      await raiseSos({ location });
      expect(await listSosCalls()).toMatchObject([{ state: 'RAISED', location: null, isLastLocation: false }]);
    },
  );

  test("is stored with the child's last location, marked as such, when the watch sends no valid location", async () => {
    const point = createLocation();
    await reportLocation(point);
    await raiseSos();
    expect(await listSosCalls()).toMatchObject([{ location: point, isLastLocation: true }]);
  });

  test('is stored without the last location when this is more than 24 hours old', async () => {
    await reportLocation({ ...createLocation(), positionTime: Date.now() - DAY_MS - 1 });
    await raiseSos();
    expect(await listSosCalls()).toMatchObject([{ location: null, isLastLocation: false }]);
    const point = { ...createLocation(), positionTime: Date.now() - DAY_MS + HOUR_MS };
    await reportLocation(point);
    await raiseSos();
    expect(await listSosCalls()).toMatchObject([{ location: point, isLastLocation: true }]);
  });

  test('shows its location to a caregiver with the permission ALERTS and without the permission LOCATION', async () => {
    const point = createLocation();
    await reportLocation(point);
    await raiseSos();
    const caregiver = await environment.addMember(replica, family.familyId, { role: 3, permissions: ['ALERTS'] });
    const { items } = await calls.list(caregiver, { cid: family.cid });
    expect(items).toMatchObject([{ location: point, isLastLocation: true }]);
  });

  test('is not stored with a location that is not credible', async () => {
    await reportLocation({ ...createLocation(), positionTime: Date.now() + HOUR_MS });
    await raiseSos({ location: 'here' });
    expect(await listSosCalls()).toMatchObject([{ location: null, isLastLocation: false }]);
  });

  describe.each([
    ['at 0/0', () => ({ ...createLocation(), latitude: '0', longitude: '0' })],
    ['that contradicts the last location', () => ({ ...createLocation(), latitude: '39.9042', longitude: '116.4074' })],
  ])('with a location %s', (_, createWrongLocation) => {
    test("is stored with the child's last location, marked as such", async () => {
      const last = { ...createLocation(), positionTime: Date.now() - 500 };
      await reportLocation(last);
      await raiseSos({ location: createWrongLocation() });
      expect(await listSosCalls()).toMatchObject([{ location: last, isLastLocation: true }]);
      await raiseSos({ location: createWrongLocation() });
      expect(await listSosCalls()).toMatchObject([{ location: last, isLastLocation: true }]);
    });

    test('is stored with this location, at most as new as its receipt, when the child has no last location', async () => {
      const { latitude, longitude, positionTime } = createWrongLocation();
      await raiseSos({ location: { ...createLocation(), latitude, longitude, positionTime } });
      const [sos] = await listSosCalls();
      expect(sos).toMatchObject({ location: { latitude, longitude }, isLastLocation: false });
      expect(sos?.location?.positionTime).toBe(Math.min(positionTime, sos?.raisedAt ?? 0));
    });
  });

  test.each([
    ['2046', () => Date.UTC(2046, 0, 1)],
    ['the next hour', () => Date.now() + HOUR_MS],
  ])('with a location from %s is stored with this location, as new as its receipt', async (_, time) => {
    await reportLocation({ ...createLocation(), positionTime: Date.now() - 500 });
    const { latitude, longitude } = createLocation();
    await raiseSos({ location: { ...createLocation(), positionTime: time() } });
    const [sos] = await listSosCalls();
    expect(sos).toMatchObject({
      location: { latitude, longitude, positionTime: sos?.raisedAt ?? 0 },
      isLastLocation: false,
    });
  });

  test('that is raised again has the newest of the locations that the watch sent and the last location', async () => {
    const [oldest, newer, newest] = [-2_000, -1_000, 0].map((ms) => ({
      ...createLocation(),
      positionTime: Date.now() + ms,
    }));
    await raiseSos({ location: newer });
    await environment.query('DELETE FROM userctx.child_location WHERE cid = $1', [family.cid]);
    await reportLocation(oldest);
    await raiseSos();
    expect(await listSosCalls()).toMatchObject([{ location: newer, isLastLocation: false }]);
    await reportLocation(newest);
    await raiseSos();
    expect(await listSosCalls()).toMatchObject([{ location: newest, isLastLocation: true }]);
    await raiseSos({ location: newer });
    expect(await listSosCalls()).toMatchObject([{ location: newer, isLastLocation: false }]);
  });

  test('that is unresolved is updated with the newest location when the child raises an SOS again', async () => {
    const first = await raiseSos();
    const point = createLocation();
    const again = await Promise.all([raiseSos({ location: point }), raiseSos({ time: Date.now() }), raiseSos()]);
    expect(new Set(again.map(({ sosId }) => sosId))).toEqual(new Set([first.sosId]));
    expect(await listSosCalls()).toMatchObject([{ location: point }]);
    expect(await publishedEvents()).toEqual(['raised']);
  });

  test('is created once when the watch sends the same call several times concurrently', async () => {
    const time = Date.now();
    await Promise.all(Array.from({ length: 8 }, () => raiseSos({ time })));
    expect(await listSosCalls()).toHaveLength(1);
    expect(await publishedEvents()).toEqual(['raised']);
  });

  test('stays resolved when the watch repeats the call, whereas a call with a new time creates another SOS', async () => {
    const time = Date.now() - 60_000;
    const { sosId } = await raiseSos({ time });
    await raiseSos({ time: time + 1 });
    await calls.resolve(owner, { cid: family.cid, sosId });
    for (const repeatedTime of [time, time + 1]) {
      expect(await raiseSos({ time: repeatedTime })).toEqual({ sosId, state: 'RESOLVED' });
    }
    expect((await raiseSos({ time: time + 2 })).sosId).not.toBe(sosId);
  });

  test.each([
    ['1970', () => 0],
    ['its factory date', () => Date.UTC(2024, 0, 1)],
    ['a time more than a day ago', () => Date.now() - DAY_MS - 1],
    ['the next hour', () => Date.now() + HOUR_MS],
  ])('is raised again after its resolution by a watch whose clock always shows %s', async (_, clock) => {
    const time = clock();
    const first = await raiseSos({ time });
    expect(await raiseSos({ time })).toEqual(first);
    await calls.resolve(owner, { cid: family.cid, sosId: first.sosId });
    const second = await raiseSos({ time });
    expect(second).toEqual({ sosId: expect.not.stringMatching(first.sosId), state: 'RAISED' });
    expect(await publishedEvents()).toEqual(['raised', 'resolved', 'raised']);
  });

  test('is raised again when the watch repeats the call of a resolved SOS more than a day later', async () => {
    const time = Date.now();
    const { sosId } = await raiseSos({ time });
    await calls.resolve(owner, { cid: family.cid, sosId });
    const now = jest.spyOn(Date, 'now').mockReturnValue(time + DAY_MS + 1);
    const again = await raiseSos({ time }).finally(() => now.mockRestore());
    expect(again.sosId).not.toBe(sosId);
  });

  test.each(['the same family', 'another family'])(
    'is raised when the watch, now of a child of %s, sends the time of an SOS of its previous child',
    async (where) => {
      const time = Date.now();
      const { sosId } = await raiseSos({ time });
      await replica.get(WatchBindingService).unbind(owner, family.watch.did);
      const newOwner = where === 'the same family' ? owner : await environment.createPerson(replica);
      const cid = await environment.createChild(replica, newOwner);
      await family.watch.bindTo(replica, newOwner, cid);
      const raised = await raiseSos({ time });
      expect(raised).toEqual({ sosId: expect.not.stringMatching(sosId), state: 'RAISED' });
      expect(await raiseSos({ time })).toEqual(raised);
      expect((await calls.list(newOwner, { cid })).items).toMatchObject([{ sosId: raised.sosId, state: 'RAISED' }]);
    },
  );

  test('is rejected when the watch is unbound', async () => {
    const unboundWatch = await TestWatch.createEnrolled(replica);
    await expect(calls.raise(unboundWatch.principal, {})).rejects.toEqual(errorWith('WATCH_UNBOUND'));
  });
});

describe('acknowledging or resolving an SOS', () => {
  test('records exactly one of several members who acknowledge it concurrently', async () => {
    const helpers = [await addGuardian(['ALERTS']), await addGuardian(['ALERTS']), await addGuardian(['ALERTS'])];
    const { sosId } = await raiseSos();
    const results = await Promise.all(helpers.map((helper) => calls.acknowledge(helper, { cid: family.cid, sosId })));
    expect(new Set(results.map(({ acknowledgedBy }) => acknowledgedBy)).size).toBe(1);
    expect(await publishedEvents()).toEqual(['raised', 'acknowledged']);
  });

  test('rejects strangers, ids of SOS calls of another child and members without the permission for alerts', async () => {
    const { sosId } = await raiseSos();
    const stranger = await environment.createPerson(replica);
    await expect(calls.acknowledge(stranger, { cid: family.cid, sosId })).rejects.toEqual(errorWith('CHILD_NOT_FOUND'));
    const guardianWithoutAlerts = await addGuardian([]);
    await expect(calls.resolve(guardianWithoutAlerts, { cid: family.cid, sosId })).rejects.toEqual(
      errorWith('PERMISSION_MISSING'),
    );
    const sibling = await createBoundFamily(environment, replica, owner);
    for (const id of [sosId, '00000000-0000-4000-8000-000000000000', 'nonsense']) {
      await expect(calls.resolve(owner, { cid: sibling.cid, sosId: id })).rejects.toEqual(errorWith('SOS_NOT_FOUND'));
    }
    expect(await listSosCalls()).toMatchObject([{ state: 'RAISED' }]);
  });
});

describe('retention of SOS calls', () => {
  test('deletes resolved SOS calls after a year, but no unresolved ones', async () => {
    const { sosId } = await raiseSos();
    const later = Date.now() + 400 * 24 * 3_600_000;
    await replica.get(SosService).deleteOld(later);
    expect(await listSosCalls()).toHaveLength(1);
    await calls.resolve(owner, { cid: family.cid, sosId });
    await replica.get(SosService).deleteOld(later);
    expect(await listSosCalls()).toHaveLength(0);
  });

  test('deletes all SOS calls of an erased child', async () => {
    await raiseSos({ time: Date.now() });
    await environment.deliverErasure(replica, 'userctx.sos.erase-child', family);
    expect(await listSosCalls()).toEqual([]);
    expect(await environment.query('SELECT 1 FROM userctx.sos_raise WHERE did = $1', [family.watch.did])).toEqual([]);
  });
});

describe('escalation of an SOS', () => {
  const STEP_MS = 30_000;
  const REPEAT_MS = 600_000;
  const escalateAt = (time: number) => replica.get(SosEscalationService).processDue(time);
  const steps = async () =>
    (await listSosCalls())[0]?.steps.map(({ step, channel, userId, at }) => [step, channel, userId, at]);

  test('notifies the apps of all members first, and then the first contact by app and SMS', async () => {
    const { sosId } = await raiseSos();
    const [call] = await listSosCalls();
    const raisedAt = call?.steps[0]?.at ?? 0;
    expect(call).toMatchObject({ nextStepAt: raisedAt + STEP_MS, steps: [{ step: 0, channel: 'APP', refId: null }] });
    expect(await escalateAt(raisedAt + STEP_MS - 1)).toBe(0);
    await escalateAt(raisedAt + STEP_MS);
    expect(await steps()).toEqual([
      [0, 'APP', null, raisedAt],
      [1, 'APP', owner.id, raisedAt + STEP_MS],
      [1, 'SMS', owner.id, raisedAt + STEP_MS],
    ]);
    // The state is NOTIFYING even though the event userctx.sos.raised is not delivered yet.
    expect(await listSosCalls()).toMatchObject([{ state: 'NOTIFYING', nextStepAt: raisedAt + STEP_MS + REPEAT_MS }]);
    const events = await environment.events('userctx.sos.escalated', family.familyId);
    expect(events.filter((event) => event.sosId === sosId)).toMatchObject([{ step: 1, userIds: [owner.id] }]);
  });

  test('skips a member without the permission for alerts', async () => {
    const guardianWithoutAlerts = await addGuardian([]);
    const helper = await addGuardian(['ALERTS']);
    await raiseSos();
    const start = Date.now();
    for (const round of [1, 2, 3]) await escalateAt(start + round * (STEP_MS + 1_000));
    const notifiedUserIds = (await steps())?.flatMap(([, channel, userId]) => (channel === 'SMS' ? [userId] : []));
    expect(notifiedUserIds).toEqual([owner.id, helper.id]);
    expect(notifiedUserIds).not.toContain(guardianWithoutAlerts.id);
  });

  test('pauses while the child is deleted and resumes when the child is restored', async () => {
    await raiseSos();
    const start = Date.now();
    await replica.get(ChildDeletionService).delete(owner, family.cid);
    await escalateAt(start + STEP_MS + 1_000);
    await replica.get(ChildDeletionService).restore(owner, family.cid);
    expect(await steps()).toHaveLength(1);
    await escalateAt(start + STEP_MS + REPEAT_MS + 2_000);
    expect(await steps()).toHaveLength(3);
  });

  test('stops when a member acknowledges the SOS, and cancels an SMS that was not sent yet', async () => {
    const { sosId } = await raiseSos();
    const later = Date.now() + STEP_MS + 1_000;
    recordedAlerts.isFailing = true;
    await escalateAt(later);
    const sms = replica.get(AlertSmsService);
    await sms.sendAllDue(later);
    await calls.acknowledge(owner, { cid: family.cid, sosId });
    recordedAlerts.isFailing = false;
    await sms.sendAllDue(later + 60_000);
    expect(recordedAlerts.alerts).toEqual([]);
    expect(await listSosCalls()).toMatchObject([{ state: 'ACKNOWLEDGED', nextStepAt: null }]);
    expect(await escalateAt(later + 24 * 3_600_000)).toBe(0);
  });

  test('appears in the list of SOS calls with its last hundred steps', async () => {
    await raiseSos();
    let time = Date.now();
    for (let round = 0; round < 60; round += 1) {
      time += REPEAT_MS;
      await escalateAt(time);
    }
    const listed = await listSosCalls();
    expect(listed[0]?.steps).toHaveLength(100);
    expect(listed[0]?.steps.at(-1)).toMatchObject({ step: 60, at: time, refId: null });
  });
});

describe('the watch that raised an SOS', () => {
  const locationMode = async () => (await replica.get(DeviceSettingsService).get(owner, family.watch.did)).locationMode;

  test("is tracked live until the SOS is resolved, and then uses the guardians' location mode", async () => {
    const settings = replica.get(DeviceSettingsService);
    await settings.setLocationMode(owner, { did: family.watch.did, mode: 'SAVE' });
    const { sosId } = await raiseSos();
    expect(await locationMode()).toBe('FOLLOW');
    await calls.acknowledge(owner, { cid: family.cid, sosId });
    expect(await locationMode()).toBe('FOLLOW');
    await calls.resolve(owner, { cid: family.cid, sosId });
    expect(await locationMode()).toBe('SAVE');
  });

  test('receives the current state of the SOS when it repeats the call', async () => {
    const time = Date.now();
    const { sosId } = await raiseSos({ time });
    await calls.acknowledge(owner, { cid: family.cid, sosId });
    expect(await raiseSos({ time })).toEqual({ sosId, state: 'ACKNOWLEDGED' });
    expect(await publishedEvents()).toEqual(['raised', 'acknowledged']);
  });
});
