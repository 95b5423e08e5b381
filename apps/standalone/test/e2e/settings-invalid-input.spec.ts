import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { settingsIdsOf } from '../support/access/settings-ids.js';
import type { SettingsIds } from '../support/access/settings-ids.js';
import { FamilyFixture } from '../support/family-fixture.js';
import { expectOk } from '../support/http-client.js';
import type { Answer } from '../support/http-client.js';
import { tableDigests, untilQuiet } from '../support/table-digests.js';
import { TestService } from '../support/test-service.js';
import { Watch, WATCH_SIDE } from '../support/watch.js';

const NOBODY = '0d5c1f8e-33a0-4c8e-8f5e-5d1d3a3a9b10';
const HOSTILE = [
  `' or '1'='1`,
  `${NOBODY}'; drop table userctx.alarm_clock; --`,
  '../../../etc/passwd',
  '\u202e7',
  'NaN',
];
const MAX_VERSION = 2_147_483_647;

type Fields = Record<string, unknown>;

const ALARM = { hour: 7, minute: 30 };
const SUNDAY = 7;
const LESSONS = { start: '08:00', end: '12:00', weekdays: [2] };
const DOCTOR = { areaCode: '86', phoneNumber: '02155501234' };

/** Each change of these settings: path, valid body without `did`, the id that it names, and the error for an unknown id. */
const CHANGES: [string, Fields, (keyof SettingsIds)?, ErrorReason?][] = [
  ['device/alarm-clock/create', ALARM],
  ['device/alarm-clock/update', { label: 'School' }, 'alarmId', 'ALARM_CLOCK_NOT_FOUND'],
  ['device/alarm-clock/delete', {}, 'alarmId', 'ALARM_CLOCK_NOT_FOUND'],
  ['device/school-disable/create', LESSONS],
  ['device/school-disable/update', { label: 'Lessons' }, 'schoolTimeId', 'SCHOOL_TIME_NOT_FOUND'],
  ['device/school-disable/delete', {}, 'schoolTimeId', 'SCHOOL_TIME_NOT_FOUND'],
  ['device/school-disable/pause-today', {}],
  ['device/reject-stranger/update', { enabled: false }],
  ['device/reject-stranger/allow-number/create', DOCTOR],
  ['device/reject-stranger/allow-number/delete', {}, 'allowId', 'ALLOW_NUMBER_NOT_FOUND'],
];

const READS = [
  'device/alarm-clock/get',
  'device/school-disable/get',
  'device/reject-stranger/get',
  'device/school-disable/early-exit/list',
  'device/reject-stranger/blocked-call/list',
];

/** Values in place of a number. JSON has no Infinity, but numbers out of range. */
const WORDS = ['"seven"', '"7"', '"0x7"', '"٧"', '1e400', 'true', '[7]', '{"value":7}', '""'];
const NUMBERS: [string, Fields, string][] = [
  ...['did', 'version', 'hour', 'minute'].map((field): [string, Fields, string] => [
    'device/alarm-clock/create',
    ALARM,
    field,
  ]),
  ['device/alarm-clock/create', { ...ALARM, repeat: 'CUSTOM' }, 'weekdays'],
  ['device/school-disable/create', LESSONS, 'weekdays'],
  ['device/school-disable/create', LESSONS, 'start'],
  ['device/reject-stranger/allow-number/create', DOCTOR, 'expiresIn'],
];

describe('invalid input to alarms, school time and unknown callers', () => {
  let service: TestService;
  let fixture: FamilyFixture;
  let ids: SettingsIds;
  /** Watch of another child of the owner, whose lists are full. */
  let sibling: Watch;
  let siblings: SettingsIds;
  let other: FamilyFixture;
  let others: SettingsIds;
  let unbound: Watch;
  let before: Record<string, string>;

  beforeAll(async () => {
    service = await TestService.start('standalone');
    [fixture, other] = await Promise.all([FamilyFixture.create(service), FamilyFixture.create(service)]);
    sibling = await Watch.boundTo(fixture.owner, await fixture.owner.createChild({ name: 'Leo' }));
    unbound = await Watch.enrolled(service.url);
    [ids, siblings, others] = await Promise.all([
      settingsIdsOf(fixture, SUNDAY),
      settingsIdsOf({ owner: fixture.owner, watch: sibling }, SUNDAY),
      settingsIdsOf(other, SUNDAY),
    ]);
    await fillUp(sibling.did);
    await untilQuiet(service);
    before = await tableDigests(service);
  });
  afterAll(() => service.stop());

  const post = (path: string, fields: Fields) => fixture.owner.post(path, { did: fixture.watch.did, ...fields });

  /** Creates the maximum: twenty alarms and school times, fifty numbers; one of each exists already. */
  async function fillUp(did: number): Promise<void> {
    for (let hour = 1; hour < 20; hour += 1) {
      const start = `${String(hour).padStart(2, '0')}:00`;
      const end = `${String(hour + 1).padStart(2, '0')}:00`;
      await expectOk(fixture.owner.post('device/alarm-clock/create', { did, hour, minute: 0 }));
      await expectOk(fixture.owner.post('device/school-disable/create', { did, start, end, weekdays: [3] }));
    }
    for (let number = 1; number < 50; number += 1)
      await expectOk(fixture.owner.post('device/reject-stranger/allow-number/create', { did, ...DOCTOR }));
  }

  function expectRefused(answer: Answer, status: number, reason: ErrorReason): void {
    expect([answer.status, answer.body['reason'], answer.text]).toEqual([status, reason, answer.text]);
  }

  describe.each(CHANGES)('%s', (path, fields, named, unknown) => {
    test('rejects an old, a future and an impossible version', async () => {
      const own = named ? { [named]: ids[named] } : {};
      for (const version of [0, 2, MAX_VERSION])
        expectRefused(await post(path, { ...fields, ...own, version }), 409, 'VERSION_STALE');
    });

    test('rejects the watch of another family, an unbound and an unknown one', async () => {
      const own = named ? { [named]: ids[named] } : {};
      const answers = await Promise.all(
        [other.watch.did, unbound.did, 1, Number.MAX_SAFE_INTEGER].map((did) => post(path, { ...fields, ...own, did })),
      );
      for (const answer of answers) expectRefused(answer, 404, 'WATCH_NOT_FOUND');
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    });

    test('rejects the watch as caller', async () => {
      const own = named ? { [named]: ids[named] } : {};
      expectRefused(
        await fixture.watch.post(`/apis/v2/userctx/user/${path}`, { did: fixture.watch.did, ...fields, ...own }),
        403,
        'FORBIDDEN',
      );
    });

    if (named && unknown) {
      test('responds alike to ids of the sibling, of another family and unknown ones', async () => {
        const theirs = [siblings[named], others[named], NOBODY, ...HOSTILE];
        const answers = await Promise.all(theirs.map((id) => post(path, { ...fields, [named]: id })));
        for (const answer of answers) expectRefused(answer, 404, unknown);
        expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      });
    }
  });

  test.each(READS)('%s rejects a watch of another family', async (path) => {
    const answers = await Promise.all([other.watch.did, unbound.did, 1].map((did) => fixture.owner.get(path, { did })));
    for (const answer of answers) expectRefused(answer, 404, 'WATCH_NOT_FOUND');
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const twice = await fixture.owner.send('GET', `${path}?did=${fixture.watch.did}&did=${fixture.watch.did}`);
    expectRefused(twice, 400, 'VALIDATION_FAILED');
  });

  test.each(NUMBERS)('%s: %j is rejected with a non-number in %s', async (path, fields, field) => {
    const body = JSON.stringify({ did: fixture.watch.did, ...fields, [field]: 'HERE' });
    for (const word of WORDS) {
      // In a list the value is an element.
      const value = field === 'weekdays' ? `[${word}]` : word;
      const answer = await fixture.owner.send<{ reason: string; details: { field: string }[] }>('POST', path, {
        body: body.replace('"HERE"', value),
        headers: { 'content-type': 'application/json' },
      });
      expect([word, answer.status, answer.body.details[0]?.field]).toEqual([word, 400, field]);
    }
  });

  test.each<[string, Fields, ErrorReason[]]>([
    ['device/alarm-clock/create', { ...ALARM, repeat: 'CUSTOM', weekdays: thousands(() => 1) }, ['VALIDATION_FAILED']],
    ['device/alarm-clock/create', { ...ALARM, skipDates: thousands(dateAt) }, ['VALIDATION_FAILED']],
    ['device/school-disable/create', { ...LESSONS, holidays: thousands(dateAt) }, ['VALIDATION_FAILED']],
    ['device/school-disable/create', { ...LESSONS, extraDates: thousands(dateAt) }, ['VALIDATION_FAILED']],
    ['device/school-disable/create', { ...LESSONS, allowContacts: thousands(() => NOBODY) }, ['VALIDATION_FAILED']],
    ['device/alarm-clock/create', { ...ALARM, label: 'x'.repeat(100_000) }, ['VALIDATION_FAILED']],
    ['device/alarm-clock/create', { ...ALARM, weekdays: Array(20_000).fill(1) }, ['BODY_TOO_COMPLEX']],
    ['device/school-disable/create', { ...LESSONS, label: 'x'.repeat(300_000) }, ['BODY_TOO_LARGE']],
  ])('%s is rejected with thousands of items', async (path, fields, reasons) => {
    const { status, body } = await post(path, fields);
    expect([400, 413]).toContain(status);
    expect(reasons).toContain(body['reason']);
  });

  test('reports with thousands of items, or with one invalid item, store none', async () => {
    const time = Date.now();
    const call = { time, outcome: 'BLOCKED', phoneNumber: '02155501234' };
    for (const calls of [
      thousands(() => call).slice(0, 1_000),
      [call, { ...call, time: 'noon' }],
      [call, null],
      [call, [call]],
    ]) {
      const answer = await fixture.watch.post(`${WATCH_SIDE}blocked-call/report`, { calls });
      expectRefused(answer, 400, 'VALIDATION_FAILED');
    }
    for (const exits of [thousands(() => ({ time })).slice(0, 1_000), [{ time }, { time: -1 }], [{ time }, 'now']])
      expectRefused(await fixture.watch.post(`${WATCH_SIDE}early-exit/report`, { exits }), 400, 'VALIDATION_FAILED');
  });

  test.each([
    ['blocked-call/report', { calls: [{ time: 1, outcome: 'BLOCKED' }] }],
    ['early-exit/report', { exits: [{ time: 1 }] }],
  ])('%s rejects an unbound watch and a parent', async (path, body) => {
    expectRefused(await unbound.post(WATCH_SIDE + path, body), 403, 'WATCH_UNBOUND');
    expectRefused(await fixture.owner.post(WATCH_SIDE + path, body), 403, 'FORBIDDEN');
  });

  describe('ranges, with an existing one from Sunday 21:00 to Monday 06:00', () => {
    const rules = async (path: string, fields: Fields) => {
      const answer = await post(path, fields);
      expectRefused(answer, 400, 'VALIDATION_FAILED');
      return (answer.body['details'] as { field: string; rule: string }[]).map(({ field, rule }) => [field, rule]);
    };

    test.each([
      ['the same', { start: '21:00', end: '06:00', weekdays: [7] }],
      ['inside', { start: '22:00', end: '22:01', weekdays: [7] }],
      ['around', { start: '20:00', end: '19:59', weekdays: [7] }],
      ['its last minute, on the day after', { start: '05:59', end: '08:00', weekdays: [1] }],
      ['a single Sunday', { start: '20:00', end: '21:01', extraDates: ['2027-01-03'] }],
      ['a Saturday that goes on to Sunday night', { start: '21:30', end: '21:29', weekdays: [6] }],
      ['every day but a holiday', { start: '23:00', end: '23:30', weekdays: [7], holidays: ['2027-01-03'] }],
    ])('rejects an overlap: %s', async (_, fields) => {
      expect(await rules('device/school-disable/create', fields)).toEqual([['start', 'overlaps']]);
    });

    test.each([
      ['no time', { start: '08:00', end: '08:00', weekdays: [2] }, ['end', 'isAfterStart']],
      ['no days', { start: '08:00', end: '12:00' }, ['weekdays', 'needsDays']],
      ['holidays alone', { start: '08:00', end: '12:00', holidays: ['2027-01-01'] }, ['weekdays', 'needsDays']],
      ['a holiday that is none', { ...LESSONS, holidays: ['2027-02-29'] }, ['holidays', 'areDates']],
    ])('rejects an empty range: %s', async (_, fields, rule) => {
      expect(await rules('device/school-disable/create', fields)).toEqual([rule]);
    });

    test('rejects an update that would make the range empty', async () => {
      const { schoolTimeId } = ids;
      const emptied = await rules('device/school-disable/update', { schoolTimeId, weekdays: [] });
      expect(emptied).toEqual([['weekdays', 'needsDays']]);
      const shortened = await rules('device/school-disable/update', { schoolTimeId, end: '21:00' });
      expect(shortened).toEqual([['end', 'isAfterStart']]);
    });

    test('rejects allowed contacts that are not contacts of this child', async () => {
      const refId = await other.contactOf(other.guardian);
      const answers = await Promise.all(
        [[refId], [NOBODY], [await fixture.contactOf(fixture.owner), refId], ['x']].map((allowContacts) =>
          post('device/school-disable/create', { ...LESSONS, allowContacts }),
        ),
      );
      for (const answer of answers) expectRefused(answer, 404, 'CONTACT_NOT_FOUND');
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    });
  });

  test('rejects one more than the maximum, also concurrently', async () => {
    const { did } = sibling;
    const lessons = { ...LESSONS, weekdays: [4] };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => [
        post('device/alarm-clock/create', { ...ALARM, did }),
        post('device/school-disable/create', { ...lessons, did }),
        post('device/reject-stranger/allow-number/create', { ...DOCTOR, did }),
      ]).flat(),
    );
    for (const answer of answers) expectRefused(answer, 409, 'LIMIT_REACHED');
  });

  test('the rejected requests change no row and cause no internal error', async () => {
    expect(await tableDigests(service)).toEqual(before);
    expect(service.errors).toEqual([]);
  });
});

function thousands<Value>(of: (nth: number) => Value): Value[] {
  return Array.from({ length: 3_000 }, (_, nth) => of(nth));
}

function dateAt(nth: number): string {
  return new Date(Date.UTC(2027, 0, 1 + nth)).toISOString().slice(0, 10);
}
