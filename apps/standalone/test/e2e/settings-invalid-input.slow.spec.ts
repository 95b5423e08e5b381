import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { settingsIdsOf } from '../support/access/settings-ids.js';
import type { SettingsIds } from '../support/access/settings-ids.js';
import { FamilyFixture } from '../support/family-fixture.js';
import { expectOk } from '../support/http-client.js';
import type { ServiceResponse } from '../support/http-client.js';
import { tableDigests, waitUntilEventsProcessed } from '../support/table-digests.js';
import { TestService } from '../support/test-service.js';
import { Watch, WATCH_PATH } from '../support/watch.js';

const UNKNOWN_ID = '0d5c1f8e-33a0-4c8e-8f5e-5d1d3a3a9b10';
const HOSTILE_TEXTS = [
  `' or '1'='1`,
  `${UNKNOWN_ID}'; drop table userctx.alarm_clock; --`,
  '../../../etc/passwd',
  '\u202e7',
  'NaN',
];
const MAX_VERSION = 2_147_483_647;

type Fields = Record<string, unknown>;

const ALARM = { hour: 7, minute: 30 };
const SUNDAY = 7;
const SCHOOL_TIME = { start: '08:00', end: '12:00', weekdays: [2] };
const ALLOWED_NUMBER = { areaCode: '86', phoneNumber: '02155501234' };

/** Each operation: path, valid body without `did`, the id that the body needs, and the error for an unknown id. */
const CHANGE_OPERATIONS: [string, Fields, (keyof SettingsIds)?, ErrorReason?][] = [
  ['device/alarm-clock/create', ALARM],
  ['device/alarm-clock/update', { label: 'School' }, 'alarmId', 'ALARM_CLOCK_NOT_FOUND'],
  ['device/alarm-clock/delete', {}, 'alarmId', 'ALARM_CLOCK_NOT_FOUND'],
  ['device/school-disable/create', SCHOOL_TIME],
  ['device/school-disable/update', { label: 'Lessons' }, 'schoolTimeId', 'SCHOOL_TIME_NOT_FOUND'],
  ['device/school-disable/delete', {}, 'schoolTimeId', 'SCHOOL_TIME_NOT_FOUND'],
  ['device/school-disable/pause-today', {}],
  ['device/reject-stranger/update', { enabled: false }],
  ['device/reject-stranger/allow-number/create', ALLOWED_NUMBER],
  ['device/reject-stranger/allow-number/delete', {}, 'allowId', 'ALLOW_NUMBER_NOT_FOUND'],
];

const READ_OPERATIONS = [
  'device/alarm-clock/get',
  'device/school-disable/get',
  'device/reject-stranger/get',
  'device/school-disable/early-exit/list',
  'device/reject-stranger/blocked-call/list',
];

/** JSON texts that must be rejected in place of a number. `1e400` is out of range and is parsed as Infinity. */
const INVALID_NUMBERS = ['"seven"', '"7"', '"0x7"', '"٧"', '1e400', 'true', '[7]', '{"value":7}', '""'];
const NUMBER_FIELDS: [string, Fields, string][] = [
  ...['did', 'version', 'hour', 'minute'].map((field): [string, Fields, string] => [
    'device/alarm-clock/create',
    ALARM,
    field,
  ]),
  ['device/alarm-clock/create', { ...ALARM, repeat: 'CUSTOM' }, 'weekdays'],
  ['device/school-disable/create', SCHOOL_TIME, 'weekdays'],
  ['device/school-disable/create', SCHOOL_TIME, 'start'],
  ['device/reject-stranger/allow-number/create', ALLOWED_NUMBER, 'expiresIn'],
];

describe('invalid input to operations on alarms, school times and unknown callers', () => {
  let service: TestService;
  let fixture: FamilyFixture;
  let ids: SettingsIds;
  /** Watch of another child of the same owner, with the maximum number of items in each list. */
  let sibling: Watch;
  let siblings: SettingsIds;
  let other: FamilyFixture;
  let others: SettingsIds;
  let unbound: Watch;
  let before: Record<string, string>;

  beforeAll(async () => {
    service = await TestService.start('standalone');
    [fixture, other] = await Promise.all([FamilyFixture.create(service), FamilyFixture.create(service)]);
    sibling = await Watch.enrolAndBind(fixture.owner, await fixture.owner.createChild({ name: 'Leo' }));
    unbound = await Watch.enrol(service.url);
    [ids, siblings, others] = await Promise.all([
      settingsIdsOf(fixture, SUNDAY),
      settingsIdsOf({ owner: fixture.owner, watch: sibling }, SUNDAY),
      settingsIdsOf(other, SUNDAY),
    ]);
    await fillLists(sibling.did);
    await waitUntilEventsProcessed(service);
    before = await tableDigests(service);
  });
  afterAll(() => service.stop());

  const post = (path: string, fields: Fields) => fixture.owner.post(path, { did: fixture.watch.did, ...fields });

  /** Fills the lists, which already have one item each, up to 20 alarms, 20 school times and 50 allowed numbers. */
  async function fillLists(did: number): Promise<void> {
    for (let hour = 1; hour < 20; hour += 1) {
      const start = `${String(hour).padStart(2, '0')}:00`;
      const end = `${String(hour + 1).padStart(2, '0')}:00`;
      await expectOk(fixture.owner.post('device/alarm-clock/create', { did, hour, minute: 0 }));
      await expectOk(fixture.owner.post('device/school-disable/create', { did, start, end, weekdays: [3] }));
    }
    for (let number = 1; number < 50; number += 1)
      await expectOk(fixture.owner.post('device/reject-stranger/allow-number/create', { did, ...ALLOWED_NUMBER }));
  }

  function expectError(answer: ServiceResponse, status: number, reason: ErrorReason): void {
    expect([answer.status, answer.body['reason'], answer.text]).toEqual([status, reason, answer.text]);
  }

  describe.each(CHANGE_OPERATIONS)('%s', (path, fields, named, unknown) => {
    test('rejects old and future versions as stale', async () => {
      const own = named ? { [named]: ids[named] } : {};
      for (const version of [0, 2, MAX_VERSION])
        expectError(await post(path, { ...fields, ...own, version }), 409, 'VERSION_STALE');
    });

    test('returns the same error for a watch of another family, an unbound watch and an unknown watch', async () => {
      const own = named ? { [named]: ids[named] } : {};
      const answers = await Promise.all(
        [other.watch.did, unbound.did, 1, Number.MAX_SAFE_INTEGER].map((did) => post(path, { ...fields, ...own, did })),
      );
      for (const answer of answers) expectError(answer, 404, 'WATCH_NOT_FOUND');
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    });

    test('rejects requests from the watch', async () => {
      const own = named ? { [named]: ids[named] } : {};
      expectError(
        await fixture.watch.post(`/apis/v2/userctx/user/${path}`, { did: fixture.watch.did, ...fields, ...own }),
        403,
        'FORBIDDEN',
      );
    });

    if (named && unknown) {
      test('returns the same error for ids of a sibling, ids of another family and unknown ids', async () => {
        const theirs = [siblings[named], others[named], UNKNOWN_ID, ...HOSTILE_TEXTS];
        const answers = await Promise.all(theirs.map((id) => post(path, { ...fields, [named]: id })));
        for (const answer of answers) expectError(answer, 404, unknown);
        expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      });
    }
  });

  test.each(READ_OPERATIONS)(
    '%s rejects foreign, unbound and unknown watches and a repeated device id (did)',
    async (path) => {
      const answers = await Promise.all(
        [other.watch.did, unbound.did, 1].map((did) => fixture.owner.get(path, { did })),
      );
      for (const answer of answers) expectError(answer, 404, 'WATCH_NOT_FOUND');
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      const twice = await fixture.owner.send('GET', `${path}?did=${fixture.watch.did}&did=${fixture.watch.did}`);
      expectError(twice, 400, 'VALIDATION_FAILED');
    },
  );

  test.each(NUMBER_FIELDS)('%s rejects %j when it has a value of the wrong type in %s', async (path, fields, field) => {
    const body = JSON.stringify({ did: fixture.watch.did, ...fields, [field]: 'HERE' });
    for (const word of INVALID_NUMBERS) {
      // The field `weekdays` is a list, so it gets a list with the invalid value as its only element.
      const value = field === 'weekdays' ? `[${word}]` : word;
      const answer = await fixture.owner.send<{ reason: string; details: { field: string }[] }>('POST', path, {
        body: body.replace('"HERE"', value),
        headers: { 'content-type': 'application/json' },
      });
      expect([word, answer.status, answer.body.details[0]?.field]).toEqual([word, 400, field]);
    }
  });

  test.each<[string, Fields, ErrorReason[]]>([
    [
      'device/alarm-clock/create',
      { ...ALARM, repeat: 'CUSTOM', weekdays: repeatThousands(() => 1) },
      ['VALIDATION_FAILED'],
    ],
    ['device/alarm-clock/create', { ...ALARM, skipDates: repeatThousands(dateAt) }, ['VALIDATION_FAILED']],
    ['device/school-disable/create', { ...SCHOOL_TIME, holidays: repeatThousands(dateAt) }, ['VALIDATION_FAILED']],
    ['device/school-disable/create', { ...SCHOOL_TIME, extraDates: repeatThousands(dateAt) }, ['VALIDATION_FAILED']],
    [
      'device/school-disable/create',
      { ...SCHOOL_TIME, allowContacts: repeatThousands(() => UNKNOWN_ID) },
      ['VALIDATION_FAILED'],
    ],
    ['device/alarm-clock/create', { ...ALARM, label: 'x'.repeat(100_000) }, ['VALIDATION_FAILED']],
    ['device/alarm-clock/create', { ...ALARM, weekdays: Array(20_000).fill(1) }, ['BODY_TOO_COMPLEX']],
    ['device/school-disable/create', { ...SCHOOL_TIME, label: 'x'.repeat(300_000) }, ['BODY_TOO_LARGE']],
  ])('%s rejects thousands of items and very long texts', async (path, fields, reasons) => {
    const { status, body } = await post(path, fields);
    expect([400, 413]).toContain(status);
    expect(reasons).toContain(body['reason']);
  });

  test('a report with thousands of items or with one invalid item is rejected as a whole', async () => {
    const time = Date.now();
    const call = { time, outcome: 'BLOCKED', phoneNumber: '02155501234' };
    for (const calls of [
      repeatThousands(() => call).slice(0, 1_000),
      [call, { ...call, time: 'noon' }],
      [call, null],
      [call, [call]],
    ]) {
      const answer = await fixture.watch.post(`${WATCH_PATH}blocked-call/report`, { calls });
      expectError(answer, 400, 'VALIDATION_FAILED');
    }
    for (const exits of [
      repeatThousands(() => ({ time })).slice(0, 1_000),
      [{ time }, { time: -1 }],
      [{ time }, 'now'],
    ])
      expectError(await fixture.watch.post(`${WATCH_PATH}early-exit/report`, { exits }), 400, 'VALIDATION_FAILED');
  });

  test.each([
    ['blocked-call/report', { calls: [{ time: 1_790_000_000_000, outcome: 'BLOCKED' }] }],
    ['early-exit/report', { exits: [{ time: 1_790_000_000_000 }] }],
  ])('%s rejects requests from an unbound watch and from a parent', async (path, body) => {
    expectError(await unbound.post(WATCH_PATH + path, body), 403, 'WATCH_UNBOUND');
    expectError(await fixture.owner.post(WATCH_PATH + path, body), 403, 'FORBIDDEN');
  });

  describe('school times, with an existing range from Sunday 21:00 to Monday 06:00', () => {
    const rules = async (path: string, fields: Fields) => {
      const answer = await post(path, fields);
      expectError(answer, 400, 'VALIDATION_FAILED');
      return (answer.body['details'] as { field: string; rule: string }[]).map(({ field, rule }) => [field, rule]);
    };

    test.each([
      ['the same range', { start: '21:00', end: '06:00', weekdays: [7] }],
      ['inside the existing range', { start: '22:00', end: '22:01', weekdays: [7] }],
      ['around the existing range', { start: '20:00', end: '19:59', weekdays: [7] }],
      ['the last minute of the existing range, on Monday', { start: '05:59', end: '08:00', weekdays: [1] }],
      ['an extra date that is a Sunday', { start: '20:00', end: '21:01', extraDates: ['2027-01-03'] }],
      ['from Saturday night to Sunday night', { start: '21:30', end: '21:29', weekdays: [6] }],
      ['every Sunday except one holiday', { start: '23:00', end: '23:30', weekdays: [7], holidays: ['2027-01-03'] }],
    ])('rejects a range that overlaps: %s', async (_, fields) => {
      expect(await rules('device/school-disable/create', fields)).toEqual([['start', 'overlaps']]);
    });

    test.each([
      ['its end equals its start', { start: '08:00', end: '08:00', weekdays: [2] }, ['end', 'isAfterStart']],
      ['it has no days', { start: '08:00', end: '12:00' }, ['weekdays', 'needsDays']],
      [
        'it has holidays but no days',
        { start: '08:00', end: '12:00', holidays: ['2027-01-01'] },
        ['weekdays', 'needsDays'],
      ],
      [
        'a holiday is not a date of the calendar',
        { ...SCHOOL_TIME, holidays: ['2027-02-29'] },
        ['holidays', 'areDates'],
      ],
    ])('rejects an invalid range: %s', async (_, fields, rule) => {
      expect(await rules('device/school-disable/create', fields)).toEqual([rule]);
    });

    test('rejects an update that removes all days or sets the end to the start', async () => {
      const { schoolTimeId } = ids;
      const emptied = await rules('device/school-disable/update', { schoolTimeId, weekdays: [] });
      expect(emptied).toEqual([['weekdays', 'needsDays']]);
      const shortened = await rules('device/school-disable/update', { schoolTimeId, end: '21:00' });
      expect(shortened).toEqual([['end', 'isAfterStart']]);
    });

    test('rejects allowed contacts that are not contacts of this child', async () => {
      const refId = await other.contactOf(other.guardian);
      const answers = await Promise.all(
        [[refId], [UNKNOWN_ID], [await fixture.contactOf(fixture.owner), refId], ['x']].map((allowContacts) =>
          post('device/school-disable/create', { ...SCHOOL_TIME, allowContacts }),
        ),
      );
      for (const answer of answers) expectError(answer, 404, 'CONTACT_NOT_FOUND');
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    });
  });

  test('concurrent requests cannot create more than the maximum number of items', async () => {
    const { did } = sibling;
    const lessons = { ...SCHOOL_TIME, weekdays: [4] };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => [
        post('device/alarm-clock/create', { ...ALARM, did }),
        post('device/school-disable/create', { ...lessons, did }),
        post('device/reject-stranger/allow-number/create', { ...ALLOWED_NUMBER, did }),
      ]).flat(),
    );
    for (const answer of answers) expectError(answer, 409, 'LIMIT_REACHED');
  });

  test('the rejected requests change no row and cause no internal error', async () => {
    expect(await tableDigests(service)).toEqual(before);
    expect(service.errors).toEqual([]);
  });
});

function repeatThousands<Value>(of: (nth: number) => Value): Value[] {
  return Array.from({ length: 3_000 }, (_, nth) => of(nth));
}

function dateAt(nth: number): string {
  return new Date(Date.UTC(2027, 0, 1 + nth)).toISOString().slice(0, 10);
}
