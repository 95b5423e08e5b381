import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { localDateIn } from '@family-watch/domain/kernel/contracts/local-date';
import { ContactsService } from '../../../src/families/contacts/contacts.service.js';
import { AlarmClocksService } from '../../../src/watches/settings/alarm-clocks.service.js';
import { SchoolTimesService } from '../../../src/watches/settings/school-times.service.js';
import { WatchPullService } from '../../../src/watches/settings/watch-pull.service.js';
import { outcomeOf, createBoundFamily, type BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const TIME_ZONE = 'Asia/Shanghai';
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let alarms: AlarmClocksService;
let schoolTimes: SchoolTimesService;
let family: BoundFamilyFixture;
let did: number;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The outbox relay is disabled, because the tests would also count the versions that are published after the binding.
  replica = await environment.replica({}, { isRelayDisabled: true });
  alarms = replica.get(AlarmClocksService);
  schoolTimes = replica.get(SchoolTimesService);
});
beforeEach(async () => {
  family = await createBoundFamily(environment, replica);
  ({ did } = family.watch);
});
afterAll(() => environment.close());

const publishedVersions = async () => {
  const events = await environment.events('userctx.watch-settings.changed', family.familyId);
  return events.map(({ resource, version }) => [resource, version]);
};

describe('alarm clocks', () => {
  test('are created, updated, listed by time of day and deleted, and each change publishes a version', async () => {
    const evening = await alarms.create(family.owner, { did, hour: 20, minute: 0 });
    const { alarm } = await alarms.create(family.owner, {
      did,
      hour: 6,
      minute: 45,
      repeat: 'CUSTOM',
      weekdays: [5, 1],
      label: 'Swimming',
      skipDates: ['2026-12-25', '2026-10-01'],
    });
    expect(alarm).toMatchObject({ weekdays: [1, 5], skipDates: ['2026-10-01', '2026-12-25'], enabled: true });
    const { items, version } = await alarms.get(family.owner, did);
    expect([version, items.map(({ hour }) => hour)]).toEqual([2, [6, 20]]);
    expect(items[1]).toEqual(evening.alarm);
    const changed = await alarms.update(family.owner, { did, alarmId: alarm.alarmId, repeat: 'DAILY', hour: 5 });
    expect(changed).toMatchObject({ version: 3, alarm: { hour: 5, minute: 45, weekdays: [], label: 'Swimming' } });
    expect(await alarms.delete(family.owner, { did, alarmId: evening.alarm.alarmId })).toEqual({ version: 4 });
    expect((await alarms.get(family.watch.principal, did)).items).toEqual([changed.alarm]);
    const pulled = await replica.get(WatchPullService).get(family.watch.principal, 'ALARM_CLOCK');
    expect(pulled.ALARM_CLOCK).toMatchObject({ version: 4, items: [{ alarmId: alarm.alarmId }] });
    expect(await publishedVersions()).toEqual([1, 2, 3, 4].map((version) => ['ALARM_CLOCK', version]));
  });

  test('keep their version when nothing changes, and their `setAt` when only the label changes', async () => {
    const { alarm } = await alarms.create(family.owner, { did, hour: 7, minute: 0 });
    const { alarmId } = alarm;
    expect(await alarms.update(family.owner, { did, alarmId, hour: 7, enabled: true })).toEqual({ version: 1, alarm });
    expect((await alarms.update(family.owner, { did, alarmId, label: 'Up' })).alarm.setAt).toBe(alarm.setAt);
    await new Promise((resolve) => setTimeout(resolve, 2));
    expect((await alarms.update(family.owner, { did, alarmId, minute: 1 })).alarm.setAt).toBeGreaterThan(alarm.setAt);
    expect(await publishedVersions()).toHaveLength(3);
  });

  test.each([
    [7, 30, 'T23:30:00'],
    [0, 0, 'T16:00:00'],
  ])("that are set to %i:%i return the next ring time in the child's time zone", async (hour, minute, utcTime) => {
    const { alarm } = await alarms.create(family.owner, { did, hour, minute });
    const nextRingAt = alarm.nextRingAt ?? 0;
    expect(nextRingAt - Date.now()).toBeGreaterThan(0);
    expect(nextRingAt - Date.now()).toBeLessThanOrEqual(86_400_000);
    expect(new Date(nextRingAt).toISOString()).toContain(utcTime);
    const { alarmId } = alarm;
    expect((await alarms.update(family.owner, { did, alarmId, enabled: false })).alarm.nextRingAt).toBeNull();
  });

  test('are limited to twenty, even for concurrent requests', async () => {
    for (let minute = 0; minute < 19; minute += 1) await alarms.create(family.owner, { did, hour: 1, minute });
    const outcomes = await Promise.all(
      [20, 21].map((minute) => outcomeOf(() => alarms.create(family.owner, { did, hour: 1, minute }))),
    );
    expect(outcomes.toSorted()).toEqual(['LIMIT_REACHED', 'ok']);
  });

  test('of another child cannot be updated or deleted, like unknown alarm clocks', async () => {
    const other = await createBoundFamily(environment, replica, family.owner);
    const { alarm } = await alarms.create(family.owner, { did: other.watch.did, hour: 7, minute: 0 });
    const { alarmId } = alarm;
    expect(await outcomeOf(() => alarms.update(family.owner, { did, alarmId, hour: 8 }))).toBe('ALARM_CLOCK_NOT_FOUND');
    expect(await outcomeOf(() => alarms.delete(family.owner, { did, alarmId }))).toBe('ALARM_CLOCK_NOT_FOUND');
    expect((await alarms.get(family.owner, other.watch.did)).items).toHaveLength(1);
  });
});

describe('school times', () => {
  const create = (fields: object = {}) =>
    schoolTimes.create(family.owner, { did, start: '08:00', end: '12:00', weekdays: [1, 2], ...fields });
  const overlapErrorWith = (id: string) =>
    expect.objectContaining({
      reason: 'VALIDATION_FAILED',
      details: [expect.objectContaining({ field: 'start', rule: 'overlaps', message: expect.stringContaining(id) })],
    });

  test('may be adjacent and cross midnight, but are rejected with the id of an overlapping school time', async () => {
    const { schoolTime } = await create();
    const overlapError = overlapErrorWith(schoolTime.schoolTimeId);
    await expect(create({ start: '11:59', end: '13:00' })).rejects.toEqual(overlapError);
    await expect(create({ start: '22:00', end: '08:01', weekdays: [7] })).rejects.toEqual(overlapError);
    await create({ start: '12:00', end: '13:00' });
    const { schoolTime: night } = await create({ start: '22:00', end: '08:00' });
    const extended = { did, schoolTimeId: night.schoolTimeId, end: '08:30' };
    await expect(schoolTimes.update(family.owner, extended)).rejects.toMatchObject({ reason: 'VALIDATION_FAILED' });
    await schoolTimes.update(family.owner, { ...extended, enabled: false });
    await expect(
      schoolTimes.update(family.owner, { did, schoolTimeId: night.schoolTimeId, enabled: true }),
    ).rejects.toEqual(overlapError);
    expect((await schoolTimes.get(family.owner, did)).items.map(({ start }) => start)).toEqual([
      '08:00',
      '12:00',
      '22:00',
    ]);
    expect(await publishedVersions()).toEqual([1, 2, 3, 4].map((version) => ['SCHOOL_DISABLE', version]));
  });

  test('are limited to twenty, even for concurrent requests', async () => {
    const at = (minute: number) => `08:${String(minute).padStart(2, '0')}`;
    const createAt = (minute: number) => outcomeOf(() => create({ start: at(minute), end: at(minute + 1) }));
    for (let minute = 0; minute < 19; minute += 1) expect(await createAt(minute)).toBe('ok');
    expect((await Promise.all([createAt(20), createAt(30)])).toSorted()).toEqual(['LIMIT_REACHED', 'ok']);
  });

  test('of another child cannot be updated or deleted, like unknown school times', async () => {
    const other = await createBoundFamily(environment, replica, family.owner);
    const { schoolTime } = await create({ did: other.watch.did });
    const { schoolTimeId } = schoolTime;
    const update = () => schoolTimes.update(family.owner, { did, schoolTimeId, label: 'Mine' });
    expect(await outcomeOf(update)).toBe('SCHOOL_TIME_NOT_FOUND');
    expect(await outcomeOf(() => schoolTimes.delete(family.owner, { did, schoolTimeId }))).toBe(
      'SCHOOL_TIME_NOT_FOUND',
    );
    expect((await schoolTimes.get(family.owner, other.watch.did)).items).toEqual([schoolTime]);
  });

  test('are created by only one of two concurrent requests that overlap', async () => {
    const outcomes = await Promise.all(
      [create(), create({ start: '09:00' })].map((request) => outcomeOf(() => request)),
    );
    expect(outcomes.toSorted()).toEqual(['VALIDATION_FAILED', 'ok']);
  });

  test('contain the contacts that may call, as long as these contacts exist', async () => {
    const contacts = replica.get(ContactsService);
    const grandma = { deviceId: did, name: 'Grandma', phoneNumber: '13900001111', areaCode: '86' };
    const { refId } = await contacts.create(family.owner, grandma);
    const { schoolTime } = await create({ allowContacts: [refId, refId] });
    expect(schoolTime.allowContacts).toEqual([refId]);
    const other = await createBoundFamily(environment, replica, family.owner);
    const foreign = await contacts.create(family.owner, { ...grandma, deviceId: other.watch.did });
    const { schoolTimeId } = schoolTime;
    const update = { did, schoolTimeId, allowContacts: [refId, foreign.refId] };
    expect(await outcomeOf(() => schoolTimes.update(family.owner, update))).toBe('CONTACT_NOT_FOUND');
    await contacts.delete(family.owner, { deviceId: did, refId });
    expect((await schoolTimes.get(family.owner, did)).items[0]?.allowContacts).toEqual([]);
    // The deleted contact does not block later updates.
    await schoolTimes.update(family.owner, { did, schoolTimeId, label: 'Morning' });
  });

  test('are active unless they are paused today, and a repeated pause changes nothing', async () => {
    const { schoolTime } = await create({ start: '00:00', end: '23:59', weekdays: EVERY_DAY });
    const { schoolTime: lastMinute } = await create({ start: '23:59', end: '00:00', weekdays: EVERY_DAY });
    const now = await schoolTimes.get(family.owner, did);
    expect([schoolTime.schoolTimeId, lastMinute.schoolTimeId]).toContain(now.current);
    const paused = await schoolTimes.pauseToday(family.owner, { did });
    expect(paused).toEqual({ version: 3, pausedOn: localDateIn(TIME_ZONE, Date.now()) });
    expect(await schoolTimes.pauseToday(family.owner, { did })).toEqual(paused);
    expect(await schoolTimes.get(family.owner, did)).toMatchObject({ pausedOn: paused.pausedOn, current: null });
    expect(await schoolTimes.pauseToday(family.owner, { did, paused: false })).toEqual({ version: 4, pausedOn: null });
    expect((await schoolTimes.get(family.owner, did)).current).toBe(now.current);
    const { version, items, pausedOn } = await schoolTimes.get(family.owner, did);
    const pulled = await replica.get(WatchPullService).get(family.watch.principal, 'SCHOOL_DISABLE');
    expect(pulled.SCHOOL_DISABLE).toMatchObject({ version, items, pausedOn });
  });

  test('are updated in the fields of the request, keep their version when nothing changes, and can be deleted once', async () => {
    const dates = { holidays: ['2027-01-05', '2027-01-04'], extraDates: ['2027-01-09', '2027-01-02'] };
    const { schoolTime } = await create({ weekdays: [2, 1], ...dates });
    const sorted = {
      weekdays: [1, 2],
      holidays: ['2027-01-04', '2027-01-05'],
      extraDates: ['2027-01-02', '2027-01-09'],
    };
    expect(schoolTime).toMatchObject(sorted);
    const reference = { did, schoolTimeId: schoolTime.schoolTimeId };
    expect(await schoolTimes.update(family.owner, { ...reference, ...dates })).toEqual({ version: 1, schoolTime });
    const changed = await schoolTimes.update(family.owner, { ...reference, weekdays: [], end: '13:00' });
    expect(changed).toEqual({ version: 2, schoolTime: { ...schoolTime, weekdays: [], end: '13:00' } });
    const withoutDays = { ...reference, extraDates: [] };
    expect(await outcomeOf(() => schoolTimes.update(family.owner, withoutDays))).toBe('VALIDATION_FAILED');
    expect(await schoolTimes.delete(family.owner, reference)).toEqual({ version: 3 });
    expect(await outcomeOf(() => schoolTimes.delete(family.owner, reference))).toBe('SCHOOL_TIME_NOT_FOUND');
    expect((await schoolTimes.get(family.owner, did)).items).toEqual([]);
  });

  test('are no longer paused on the next day', async () => {
    await create();
    const yesterday = localDateIn(TIME_ZONE, Date.now() - 86_400_000);
    await environment.query('INSERT INTO userctx.school_pause VALUES ($1, $2, $3)', [
      family.cid,
      family.familyId,
      yesterday,
    ]);
    expect((await schoolTimes.get(family.owner, did)).pausedOn).toBeNull();
    expect(await schoolTimes.pauseToday(family.owner, { did })).toMatchObject({ version: 2 });
  });
});

describe('early exits', () => {
  test('are stored without duplicates and listed newest first', async () => {
    const { schoolTime } = await schoolTimes.create(family.owner, { did, start: '08:00', end: '12:00', weekdays: [1] });
    const { schoolTimeId } = schoolTime;
    const now = Date.now();
    const reported = [{ time: now - 3 }, { time: now - 1, schoolTimeId }, { time: now - 2, schoolTimeId: 'unknown' }];
    await schoolTimes.reportEarlyExits(family.watch.principal, reported);
    await schoolTimes.reportEarlyExits(family.watch.principal, [...reported, ...reported]);
    const first = await schoolTimes.listEarlyExits(family.owner, { did, limit: 2 });
    expect(first.items.map(({ time, ...exit }) => [time, exit.schoolTimeId])).toEqual([
      [now - 1, schoolTimeId],
      [now - 2, null],
    ]);
    const second = await schoolTimes.listEarlyExits(family.owner, { did, cursor: first.nextCursor ?? '' });
    expect([second.items.map(({ time }) => time), second.nextCursor]).toEqual([[now - 3], null]);
  });
});
