import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { ChildPermission } from '@family-watch/domain/families/contracts/family-role';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { AlarmClocksService } from '../../../src/watches/settings/alarm-clocks.service.js';
import { DeviceSettingsService } from '../../../src/watches/settings/device-settings.service.js';
import { SchoolTimesService } from '../../../src/watches/settings/school-times.service.js';
import { WATCH_LOG_RETENTION_MS } from '../../../src/watches/settings/settings-changes.service.js';
import { StrangersService } from '../../../src/watches/settings/strangers.service.js';
import { WatchPullService } from '../../../src/watches/settings/watch-pull.service.js';
import { WatchBindingService } from '../../../src/watches/binding/watch-binding.service.js';
import { outcomeOf, createBoundFamily, type BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { TestWatch } from '../../support/test-watch.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const DOCTORS_PHONE = { areaCode: '86', phoneNumber: '02155501234' };

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let strangers: StrangersService;
let deviceSettings: DeviceSettingsService;
let family: BoundFamilyFixture;
let did: number;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The outbox relay is disabled: events reach handlers only when a test delivers them.
  replica = await environment.replica({}, { isRelayDisabled: true });
  strangers = replica.get(StrangersService);
  deviceSettings = replica.get(DeviceSettingsService);
});
beforeEach(async () => {
  family = await createBoundFamily(environment, replica);
  ({ did } = family.watch);
});
afterAll(() => environment.close());

const publishedVersions = async () => {
  const events = await environment.events('userctx.watch-settings.changed', family.familyId);
  return events.map(({ resource, version, by }) => [resource, version, by]);
};

describe('calls from strangers', () => {
  test('are blocked by default until a guardian allows them', async () => {
    expect(await strangers.get(family.owner, did)).toMatchObject({ enabled: true, version: 0, state: 'APPLIED' });
    expect(await strangers.update(family.owner, { did, enabled: true })).toEqual({ version: 0 });
    expect(await strangers.update(family.owner, { did, enabled: false })).toEqual({ version: 1 });
    expect(await strangers.get(family.watch.principal, did)).toMatchObject({ enabled: false, version: 1 });
  });

  test('from a number allowed once delete the number and publish one version', async () => {
    const { allowNumber } = await strangers.allow(family.owner, { did, ...DOCTORS_PHONE });
    expect(allowNumber).toMatchObject({ areaCode: '+86', phoneNumber: DOCTORS_PHONE.phoneNumber, once: true });
    expect(allowNumber.expiresAt - Date.now()).toBeGreaterThan(3_590_000);
    const permanent = await strangers.allow(family.owner, {
      did,
      ...DOCTORS_PHONE,
      phoneNumber: '02155509999',
      once: false,
    });
    const time = Date.now();
    const report = [
      { time, ...DOCTORS_PHONE, outcome: 'ALLOWED' as const },
      { time, areaCode: '86', phoneNumber: '02155509999', outcome: 'ALLOWED' as const },
    ];
    await strangers.reportCalls(family.watch.principal, report);
    await strangers.reportCalls(family.watch.principal, report);
    const rule = await strangers.get(family.owner, did);
    expect([rule.version, rule.allowNumbers]).toEqual([3, [permanent.allowNumber]]);
    expect((await publishedVersions()).at(-1)).toEqual(['REJECT_STRANGER', 3, `watch:${did}`]);
    expect(await strangers.listBlockedCalls(family.owner, { did })).toEqual({ items: [], nextCursor: null });
    await strangers.disallow(family.owner, { did, allowId: permanent.allowNumber.allowId });
    expect((await strangers.get(family.owner, did)).allowNumbers).toEqual([]);
  });

  test('that are reported concurrently delete a number allowed once, and create one version, exactly once', async () => {
    const others = [replica, await environment.replica({}, { isRelayDisabled: true })];
    const { allowNumber: second } = await strangers.allow(family.owner, { did, ...DOCTORS_PHONE });
    const { allowNumber } = await strangers.allow(family.owner, { did, ...DOCTORS_PHONE, once: false });
    // The watch received no response to its report and sends it again. The network omits the area code.
    const call = { time: Date.now(), phoneNumber: DOCTORS_PHONE.phoneNumber, outcome: 'ALLOWED' as const };
    const report = (one: typeof call, index: number) =>
      others[index % 2]!.get(StrangersService).reportCalls(family.watch.principal, [one]);
    await Promise.all([call, call, call, call].map(report));
    expect(await strangers.get(family.owner, did)).toMatchObject({ version: 3, allowNumbers: [allowNumber] });
    await strangers.allow(family.owner, { did, ...DOCTORS_PHONE });
    await Promise.all([1, 2, 3, 4].map((after) => report({ ...call, time: call.time + after }, after)));
    expect(await strangers.get(family.owner, did)).toMatchObject({ version: 5, allowNumbers: [allowNumber] });
    expect(await outcomeOf(() => strangers.disallow(family.owner, { did, allowId: second.allowId }))).toBe(
      'ALLOW_NUMBER_NOT_FOUND',
    );
  });

  test('are no longer allowed from a number whose permission has expired', async () => {
    const { allowNumber } = await strangers.allow(family.owner, { did, ...DOCTORS_PHONE, expiresIn: 60 });
    await environment.query('UPDATE userctx.allowed_number SET expires_at = $1', [Date.now() - 1]);
    expect((await strangers.get(family.owner, did)).allowNumbers).toEqual([]);
    const { allowId } = allowNumber;
    expect(await outcomeOf(() => strangers.disallow(family.owner, { did, allowId }))).toBe('ALLOW_NUMBER_NOT_FOUND');
    // The expiry creates no version, because the watch knows the expiry time.
    expect(await strangers.get(family.owner, did)).toMatchObject({ version: 1 });
  });

  test('are still allowed from a number of another child that a parent disallows for this child', async () => {
    const other = await createBoundFamily(environment, replica, family.owner);
    const { allowNumber } = await strangers.allow(family.owner, { did: other.watch.did, ...DOCTORS_PHONE });
    const { allowId } = allowNumber;
    expect(await outcomeOf(() => strangers.disallow(family.owner, { did, allowId }))).toBe('ALLOW_NUMBER_NOT_FOUND');
    expect((await strangers.get(family.owner, other.watch.did)).allowNumbers).toHaveLength(1);
  });

  test('are allowed from at most fifty numbers, even by concurrent requests', async () => {
    const allow = (number: number) => {
      const phoneNumber = String(2_155_500_000 + number);
      return outcomeOf(() => strangers.allow(family.owner, { did, areaCode: '86', phoneNumber }));
    };
    for (let count = 0; count < 49; count += 1) expect(await allow(count)).toBe('ok');
    expect((await Promise.all([allow(49), allow(50)])).toSorted()).toEqual(['LIMIT_REACHED', 'ok']);
    expect(await allow(0)).toBe('ok');
  });

  test('from a number that is allowed again are allowed by the same permission, with the new expiry', async () => {
    const { allowNumber } = await strangers.allow(family.owner, { did, ...DOCTORS_PHONE, expiresIn: 60 });
    const withoutTrunkPrefix = { areaCode: '+86', phoneNumber: DOCTORS_PHONE.phoneNumber.replace(/^0/, '') };
    const again = await strangers.allow(family.owner, { did, ...withoutTrunkPrefix, expiresIn: 3_600 });
    expect(again.allowNumber.allowId).toBe(allowNumber.allowId);
    expect(again.allowNumber.expiresAt - Date.now()).toBeGreaterThan(3_590_000);
    expect((await strangers.get(family.owner, did)).allowNumbers).toEqual([again.allowNumber]);
  });
});

describe('blocked calls', () => {
  test('are stored without duplicates and listed newest first', async () => {
    const now = Date.now();
    const reported = [
      { time: now - 5, ...DOCTORS_PHONE, outcome: 'BLOCKED' as const },
      { time: now - 3, outcome: 'BLOCKED' as const },
      { time: now - 4, ...DOCTORS_PHONE, outcome: 'BLOCKED' as const, cause: 'SCHOOL_TIME' as const },
    ];
    await strangers.reportCalls(family.watch.principal, reported);
    await strangers.reportCalls(family.watch.principal, [...reported, ...reported]);
    const first = await strangers.listBlockedCalls(family.owner, { did, limit: 2 });
    expect(first.items.map(({ callId, ...call }) => call)).toEqual([
      { time: now - 3, areaCode: null, phoneNumber: null, cause: 'STRANGER' },
      { time: now - 4, areaCode: '+86', phoneNumber: DOCTORS_PHONE.phoneNumber, cause: 'SCHOOL_TIME' },
    ]);
    const second = await strangers.listBlockedCalls(family.owner, { did, cursor: first.nextCursor ?? '' });
    expect([second.items.map(({ time }) => time), second.nextCursor]).toEqual([[now - 5], null]);
  });

  test('from before the binding of the watch are not stored for the new child', async () => {
    const before = Date.now();
    await sleep(2);
    await replica.get(WatchBindingService).unbind(family.owner, did);
    const report = [{ time: before, outcome: 'BLOCKED' as const }];
    expect(await outcomeOf(() => strangers.reportCalls(family.watch.principal, report))).toBe('WATCH_UNBOUND');
    const buyer = await environment.createPerson(replica);
    await family.watch.bindTo(replica, buyer, await environment.createChild(replica, buyer));
    await strangers.reportCalls(family.watch.principal, [...report, { time: Date.now() + 1, outcome: 'BLOCKED' }]);
    expect((await strangers.listBlockedCalls(buyer, { did })).items.map(({ time }) => time > before)).toEqual([true]);
  });
});

describe('device settings', () => {
  test('return the temporary location mode until it expires, then the permanent one', async () => {
    expect(await deviceSettings.get(family.owner, did)).toMatchObject({
      locationMode: 'NORMAL',
      locationModeUntil: null,
    });
    await deviceSettings.setLocationMode(family.owner, { did, mode: 'SAVE' });
    await deviceSettings.setLocationMode(family.owner, { did, mode: 'FOLLOW', expiresIn: 60 });
    const temporary = await deviceSettings.get(family.watch.principal, did);
    expect(temporary).toMatchObject({ version: 2, locationMode: 'FOLLOW', locationModeAfter: 'SAVE' });
    expect((temporary.locationModeUntil ?? 0) - Date.now()).toBeGreaterThan(55_000);
    await environment.query('UPDATE userctx.device_settings SET temporary_until = $1', [Date.now() - 1]);
    const expired = { version: 2, locationMode: 'SAVE', locationModeUntil: null, locationModeAfter: null };
    expect(await deviceSettings.get(family.owner, did)).toMatchObject(expired);
  });

  test('of sound, screen and times are null until a guardian sets them, and null clears them again', async () => {
    const defaults = {
      volume: null,
      ringMode: null,
      brightness: null,
      language: null,
      powerSchedule: null,
      locationSchedule: [],
    };
    expect(await deviceSettings.get(family.watch.principal, did)).toMatchObject(defaults);
    const preferences = {
      volume: 40,
      ringMode: 'RING_AND_VIBRATE',
      brightness: 0,
      language: 'zh-CN',
      powerSchedule: { on: '06:30', off: '21:00' },
      locationSchedule: [{ start: '22:00', end: '06:00', weekdays: [1, 7], mode: 'SAVE' }],
    } as const;
    const request = { ...preferences, locationSchedule: [{ ...preferences.locationSchedule[0], weekdays: [1, 7] }] };
    expect(await deviceSettings.update(family.owner, { did, ...request })).toEqual({ version: 1 });
    expect(await deviceSettings.update(family.owner, { did, ...request })).toEqual({ version: 1 });
    expect(await deviceSettings.get(family.watch.principal, did)).toMatchObject(preferences);
    const pulled = await replica.get(WatchPullService).get(family.watch.principal, 'DEVICE');
    expect(pulled.DEVICE).toMatchObject({ ...preferences, version: 1 });
    await deviceSettings.setLostMode(family.owner, { did, lost: true });
    await deviceSettings.update(family.owner, { did, volume: null, powerSchedule: null });
    expect(await deviceSettings.get(family.owner, did)).toMatchObject({
      ...preferences,
      lost: true,
      volume: null,
      powerSchedule: null,
      version: 3,
    });
    await deviceSettings.update(family.owner, {
      did,
      ringMode: null,
      brightness: null,
      language: null,
      locationSchedule: [],
      version: 3,
    });
    expect(await deviceSettings.get(family.owner, did)).toMatchObject(defaults);
    await expect(deviceSettings.update(family.owner, { did, volume: 1, version: 3 })).rejects.toMatchObject({
      reason: 'VERSION_STALE',
    });
  });

  test('contain the message of lost mode until lost mode ends', async () => {
    await deviceSettings.setLostMode(family.owner, { did, lost: true, lostMessage: 'Please call Anna' });
    expect(await deviceSettings.setLostMode(family.owner, { did, lost: true })).toEqual({ version: 1 });
    expect(await deviceSettings.get(family.owner, did)).toMatchObject({ lost: true, lostMessage: 'Please call Anna' });
    expect(await deviceSettings.setLostMode(family.owner, { did, lost: true, lostMessage: null })).toEqual({
      version: 2,
    });
    expect(await deviceSettings.get(family.owner, did)).toMatchObject({ lost: true, lostMessage: null });
    await deviceSettings.setLostMode(family.owner, { did, lost: false, lostMessage: 'ignored' });
    expect(await deviceSettings.get(family.owner, did)).toMatchObject({
      lost: false,
      lostMessage: null,
      locationMode: 'NORMAL',
    });
  });
});

describe('settings of a child', () => {
  test('are published to a replacement watch with their versions if they were ever changed', async () => {
    await strangers.update(family.owner, { did, enabled: false });
    await deviceSettings.setLostMode(family.owner, { did, lost: true });
    await deviceSettings.setLostMode(family.owner, { did, lost: false });
    await replica.get(WatchBindingService).unbind(family.owner, did);
    const newWatch = await TestWatch.createEnrolled(replica);
    await newWatch.bindTo(replica, family.owner, family.cid);
    const [payload] = (await environment.events('userctx.watch.bound', family.familyId)).slice(-1);
    if (!payload) throw new Error('No watch was bound');
    const event = {
      id: crypto.randomUUID(),
      name: 'userctx.watch.bound',
      key: family.familyId,
      time: payload.time,
      payload,
    };
    const before = (await publishedVersions()).length;
    await environment.publish([event, event]);
    const published = await environment.events('userctx.watch-settings.changed', family.familyId);
    expect(published.slice(before)).toMatchObject([
      { resource: 'DEVICE', version: 2, did: newWatch.did, cid: family.cid },
      { resource: 'REJECT_STRANGER', version: 1, did: newWatch.did, cid: family.cid },
    ]);
    const fetched = await replica.get(WatchPullService).get(newWatch.principal);
    expect(fetched).toMatchObject({
      timeZone: 'Asia/Shanghai',
      ALARM_CLOCK: { version: 0 },
      SCHOOL_DISABLE: { version: 0 },
      REJECT_STRANGER: { version: 1, enabled: false, state: 'PENDING' },
      DEVICE: { version: 2 },
    });
  });

  test('are applied or rejected by the newest acknowledgement of the newest version by the watch since it was bound', async () => {
    const other = await TestWatch.createEnrolled(replica);
    const acknowledge = (
      version: number,
      status: 'APPLIED' | 'REJECTED' | 'READ',
      { watch = family.watch, time = Date.now() } = {},
    ) =>
      environment.deliver(replica, 'userctx.watch-settings.record-acknowledgement', {
        name: 'gateway.message.acknowledged',
        payload: {
          messageId: crypto.randomUUID(),
          kind: 'RejectStrangerChangeNoticeMessage',
          status,
          by: `watch:${watch.did}`,
          did: watch.did,
          cid: family.cid,
          version,
          reason: 'MEMORY_FULL',
        },
        time,
      });
    const readStatus = async (boundDid = did) => {
      const { version, state, appliedVersion, reason } = await strangers.get(family.owner, boundDid);
      return [version, state, appliedVersion, reason];
    };
    await strangers.update(family.owner, { did, enabled: false });
    await acknowledge(1, 'APPLIED');
    expect(await readStatus()).toEqual([1, 'APPLIED', 1, null]);
    await strangers.update(family.owner, { did, enabled: true });
    expect(await readStatus()).toEqual([2, 'PENDING', 1, null]);
    await acknowledge(1, 'REJECTED');
    await acknowledge(2, 'READ');
    await acknowledge(2, 'APPLIED', { watch: other });
    await acknowledge(2, 'APPLIED', { time: 0 });
    await acknowledge(3, 'APPLIED');
    expect(await readStatus()).toEqual([2, 'PENDING', 1, null]);
    for (const _ of ['once', 'repeated']) await acknowledge(2, 'REJECTED');
    expect(await readStatus()).toEqual([2, 'REJECTED', 1, 'MEMORY_FULL']);
    await acknowledge(2, 'APPLIED');
    await acknowledge(1, 'REJECTED');
    expect(await readStatus()).toEqual([2, 'APPLIED', 2, null]);
    const answered = await environment.events('userctx.watch-settings.answered', family.familyId);
    expect(answered.map(({ version, state }) => [version, state])).toEqual([
      [1, 'APPLIED'],
      [2, 'REJECTED'],
      [2, 'APPLIED'],
    ]);
    for (const watch of [other, family.watch]) {
      await replica.get(WatchBindingService).unbind(family.owner, watch === other ? did : other.did);
      // The service distinguishes bindings by their start time, so two bindings must not start in the same millisecond.
      await sleep(2);
      await watch.bindTo(replica, family.owner, family.cid);
      expect(await readStatus(watch.did)).toEqual([2, 'PENDING', null, null]);
    }
  });

  test('can be changed only by a request without a version or with the current version', async () => {
    const [alarms, schoolTimes] = [replica.get(AlarmClocksService), replica.get(SchoolTimesService)];
    const { owner } = family;
    const ids = { allowId: '', alarmId: '', schoolTimeId: '' };
    const remember = async <Result extends { version: number }>(
      created: Promise<Result>,
      idOf: (result: Result) => object,
    ) => {
      const result = await created;
      Object.assign(ids, idOf(result));
      return result;
    };
    /** The operations of each resource, in an order in which each changes something. */
    const changes: ((fields: { did: number; version?: number }) => Promise<{ version: number }>)[][] = [
      [
        (fields) => strangers.update(owner, { ...fields, enabled: false }),
        (fields) => remember(strangers.allow(owner, { ...fields, ...DOCTORS_PHONE }), ({ allowNumber }) => allowNumber),
        (fields) => strangers.disallow(owner, { ...fields, allowId: ids.allowId }),
      ],
      [
        (fields) => deviceSettings.setLostMode(owner, { ...fields, lost: true }),
        (fields) => deviceSettings.setLocationMode(owner, { ...fields, mode: 'SAVE' }),
        (fields) => deviceSettings.update(owner, { ...fields, volume: 33 }),
      ],
      [
        (fields) => remember(alarms.create(owner, { ...fields, hour: 7, minute: 0 }), ({ alarm }) => alarm),
        (fields) => alarms.update(owner, { ...fields, alarmId: ids.alarmId, hour: 8 }),
        (fields) => alarms.delete(owner, { ...fields, alarmId: ids.alarmId }),
      ],
      [
        (fields) =>
          remember(
            schoolTimes.create(owner, { ...fields, start: '08:00', end: '12:00', weekdays: [1] }),
            ({ schoolTime }) => schoolTime,
          ),
        (fields) => schoolTimes.update(owner, { ...fields, schoolTimeId: ids.schoolTimeId, end: '13:00' }),
        (fields) => schoolTimes.pauseToday(owner, fields),
        (fields) => schoolTimes.delete(owner, { ...fields, schoolTimeId: ids.schoolTimeId }),
      ],
    ];
    for (const ofResource of changes)
      for (const [version, change] of ofResource.entries()) {
        for (const stale of [version - 1, version + 1])
          expect(await outcomeOf(() => change({ did, version: stale }))).toBe('VERSION_STALE');
        expect(await change({ did, version })).toMatchObject({ version: version + 1 });
      }
  });

  test('can be read by members who see the child, but changed only with the permission SETTINGS', async () => {
    const addMember = (role: 2 | 3 | 4, permissions: ChildPermission[]) =>
      environment.addMember(replica, family.familyId, { role, permissions });
    /** Caller, expected outcome of reading, and expected outcome of changing. */
    const cases: [Principal, string, string][] = [
      [await addMember(2, ['SETTINGS']), 'ok', 'ok'],
      [await addMember(2, []), 'ok', 'PERMISSION_MISSING'],
      [await addMember(3, ['LOCATION']), 'ok', 'PERMISSION_MISSING'],
      [await addMember(4, ['CHAT']), 'PERMISSION_MISSING', 'PERMISSION_MISSING'],
      [family.watch.principal, 'ok', 'PERMISSION_MISSING'],
      [await environment.createPerson(replica), 'WATCH_NOT_FOUND', 'WATCH_NOT_FOUND'],
    ];
    for (const [caller, readOutcome, changeOutcome] of cases) {
      expect(await outcomeOf(() => strangers.get(caller, did))).toBe(readOutcome);
      expect(await outcomeOf(() => strangers.update(caller, { did, enabled: false }))).toBe(changeOutcome);
    }
  });

  test('are deleted with an erased child, and calls and early exits also after their retention', async () => {
    const other = await createBoundFamily(environment, replica);
    for (const { owner, watch } of [family, other]) {
      const reference = { did: watch.did };
      await replica.get(AlarmClocksService).create(owner, { ...reference, hour: 7, minute: 0 });
      await replica
        .get(SchoolTimesService)
        .create(owner, { ...reference, start: '08:00', end: '09:00', weekdays: [1] });
      await replica.get(SchoolTimesService).pauseToday(owner, reference);
      await replica.get(SchoolTimesService).reportEarlyExits(watch.principal, [{ time: 1 }]);
      await strangers.update(owner, { ...reference, enabled: false });
      await strangers.allow(owner, { ...reference, ...DOCTORS_PHONE });
      await strangers.reportCalls(watch.principal, [{ time: 1, outcome: 'BLOCKED' }]);
      await deviceSettings.setLostMode(owner, { ...reference, lost: true });
    }
    await environment.deliverErasure(replica, 'userctx.watch-settings.erase-child', family);
    /** Returns 1 for each table with rows of the child, otherwise 0. */
    const hasRows = async (child: string) => {
      const counts = SETTINGS_TABLES.map((table) =>
        environment.query(`SELECT 1 FROM userctx.${table} WHERE cid = $1`, [child]),
      );
      return (await Promise.all(counts)).map(({ length }) => Number(length > 0));
    };
    expect(await hasRows(family.cid)).toEqual(SETTINGS_TABLES.map(() => 0));
    expect(await hasRows(other.cid)).toEqual(SETTINGS_TABLES.map(() => 1));

    const deleteOldLogs = async (now: number): Promise<void> => {
      await strangers.deleteOldCalls(now);
      await replica.get(SchoolTimesService).deleteOldEarlyExits(now);
    };
    await deleteOldLogs(Date.now());
    expect(await hasRows(other.cid)).toEqual(SETTINGS_TABLES.map(() => 1));
    await deleteOldLogs(Date.now() + WATCH_LOG_RETENTION_MS + 1_000);
    const expiredTables = ['school_early_exit', 'blocked_call', 'allowed_number'];
    expect(await hasRows(other.cid)).toEqual(SETTINGS_TABLES.map((table) => Number(!expiredTables.includes(table))));
  });
});

const SETTINGS_TABLES = [
  'settings_version',
  'alarm_clock',
  'school_time',
  'school_pause',
  'school_early_exit',
  'stranger_rule',
  'allowed_number',
  'blocked_call',
  'device_settings',
];
