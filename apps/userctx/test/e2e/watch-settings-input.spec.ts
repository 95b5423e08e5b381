import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ApiClient } from '../support/api-client.js';
import { createFamily } from '../support/family-fixture.js';
import { FamilyTestEnvironment } from '../support/family-test-environment.js';

const WATCH_PATH = '/apis/v2/userctx/watch/';
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const BLOCKED_CALL = { time: 1_790_000_000_000, outcome: 'BLOCKED' };
const SAVE_PERIOD = { start: '08:00', end: '16:00', weekdays: [1], mode: 'SAVE' };
const TOO_MANY_DATES = Array.from({ length: 101 }, (_, day) =>
  new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10),
);

let environment: FamilyTestEnvironment;
let parent: ApiClient;
let watch: ApiClient;
let did: number;
/** Ids of an existing alarm and school time, so that an update fails only because of the tested field. */
let alarmId: string;
let schoolTimeId: string;

beforeAll(async () => {
  environment = await FamilyTestEnvironment.open();
  const family = await createFamily(environment);
  ({ owner: parent, watch } = family);
  ({ did } = family.watch);
  const alarm = await parent.post('device/alarm-clock/create', { did, ...VALID_BODIES['device/alarm-clock/create'] });
  alarmId = (alarm.body['alarm'] as { alarmId: string }).alarmId;
  const school = await parent.post('device/school-disable/create', {
    did,
    ...VALID_BODIES['device/school-disable/create'],
  });
  schoolTimeId = (school.body['schoolTime'] as { schoolTimeId: string }).schoolTimeId;
});
afterAll(() => environment.close());

/**
 * A valid request body of each operation that changes settings, without `did`. Updates and deletions also require the
 * id of the item.
 */
const VALID_BODIES: Record<string, object> = {
  'device/alarm-clock/create': { hour: 7, minute: 30 },
  'device/alarm-clock/update': {},
  'device/alarm-clock/delete': {},
  'device/school-disable/create': { start: '08:00', end: '12:00', weekdays: [1] },
  'device/school-disable/update': {},
  'device/school-disable/delete': {},
  'device/school-disable/pause-today': {},
  'device/reject-stranger/update': { enabled: true },
  'device/reject-stranger/allow-number/create': { areaCode: '86', phoneNumber: '02155501234' },
  'device/reject-stranger/allow-number/delete': { allowId: UNKNOWN_ID },
  'device/settings/update': {},
  'location/mode/update': { mode: 'NORMAL' },
  'device/lost-mode/update': { lost: false },
};

const INVALID_ALARM_FIELDS: [string, object][] = [
  ['hour', { hour: 24 }],
  ['hour', { hour: -1 }],
  ['hour', { hour: '7' }],
  ['hour', { hour: 7.5 }],
  ['minute', { minute: 60 }],
  ['repeat', { repeat: 'WEEKLY' }],
  ['weekdays', { repeat: 'CUSTOM', weekdays: [1, 1] }],
  ['weekdays', { repeat: 'CUSTOM', weekdays: [] }],
  ['weekdays', { repeat: 'CUSTOM' }],
  ['weekdays', { repeat: 'DAILY', weekdays: [1] }],
  ['weekdays', { repeat: 'ONCE', weekdays: [1] }],
  ['skipDates', { skipDates: ['2026-02-30'] }],
  ['skipDates', { skipDates: TOO_MANY_DATES }],
  ['label', { label: 'x'.repeat(65) }],
  ['enabled', { enabled: 'yes' }],
];

const INVALID_SCHOOL_TIME_FIELDS: [string, object][] = [
  ['start', { start: '24:00' }],
  ['end', { start: '10:00', end: '10:00' }],
  ['weekdays', { weekdays: [] }],
  ['holidays', { holidays: ['yesterday'] }],
  ['holidays', { holidays: TOO_MANY_DATES }],
  ['extraDates', { extraDates: ['2026-04-31'] }],
  ['allowContacts', { allowContacts: 'all' }],
  ['allowContacts', { allowContacts: [7] }],
  ['enabled', { enabled: 1 }],
];

/** Path of an operation, name of the invalid field, and the fields to replace in the valid body. */
type InvalidBody = [string, string, object];

const INVALID_BODIES: InvalidBody[] = [
  ...Object.keys(VALID_BODIES).flatMap((path) => [
    ...[undefined, '7', 0, 2 ** 53].map((value): InvalidBody => [path, 'did', { did: value }]),
    ...[-1, '1', 1.5].map((version): InvalidBody => [path, 'version', { version }]),
  ]),
  ...['create', 'update'].flatMap((name) => [
    ...INVALID_ALARM_FIELDS.map((row): InvalidBody => [`device/alarm-clock/${name}`, ...row]),
    ...INVALID_SCHOOL_TIME_FIELDS.map((row): InvalidBody => [`device/school-disable/${name}`, ...row]),
  ]),
  ['device/alarm-clock/create', 'hour', { hour: undefined }],
  ['device/alarm-clock/create', 'hour', { hour: null }],
  ['device/alarm-clock/create', 'minute', { minute: undefined }],
  ['device/alarm-clock/update', 'alarmId', { alarmId: undefined }],
  ['device/alarm-clock/delete', 'alarmId', { alarmId: 7 }],
  ['device/school-disable/create', 'start', { start: undefined }],
  ['device/school-disable/create', 'end', { end: null }],
  ['device/school-disable/create', 'weekdays', { weekdays: undefined }],
  ['device/school-disable/delete', 'schoolTimeId', { schoolTimeId: '' }],
  ['device/school-disable/pause-today', 'paused', { paused: 'no' }],
  ['device/reject-stranger/update', 'enabled', { enabled: undefined }],
  ['device/reject-stranger/update', 'enabled', { enabled: 'true' }],
  ['device/reject-stranger/allow-number/create', 'phoneNumber', { phoneNumber: '+8613812345678' }],
  ['device/reject-stranger/allow-number/create', 'phoneNumber', { phoneNumber: '12' }],
  ['device/reject-stranger/allow-number/create', 'areaCode', { areaCode: undefined }],
  ['device/reject-stranger/allow-number/create', 'areaCode', { areaCode: 'eighty-six' }],
  ['device/reject-stranger/allow-number/create', 'expiresIn', { expiresIn: 59 }],
  ['device/reject-stranger/allow-number/create', 'expiresIn', { expiresIn: 30 * 86_400 + 1 }],
  ['device/reject-stranger/allow-number/delete', 'allowId', { allowId: undefined }],
  ['device/settings/update', 'volume', { volume: 101 }],
  ['device/settings/update', 'brightness', { brightness: -1 }],
  ['device/settings/update', 'ringMode', { ringMode: 'LOUD' }],
  ['device/settings/update', 'language', { language: 'Chinese (simplified)' }],
  ['device/settings/update', 'language', { language: 'ZH-cn' }],
  ['device/settings/update', 'powerSchedule', { powerSchedule: '07:00' }],
  ['device/settings/update', 'powerSchedule.off', { powerSchedule: { on: '07:00' } }],
  ['device/settings/update', 'powerSchedule.off', { powerSchedule: { on: '07:00', off: '07:00' } }],
  ['device/settings/update', 'powerSchedule.on', { powerSchedule: { on: '24:00', off: '07:00' } }],
  ['device/settings/update', 'locationSchedule.0.mode', { locationSchedule: [{ ...SAVE_PERIOD, mode: 'FOLLOW' }] }],
  ['device/settings/update', 'locationSchedule.0.end', { locationSchedule: [{ ...SAVE_PERIOD, end: '08:00' }] }],
  ['device/settings/update', 'locationSchedule', { locationSchedule: Array(11).fill(SAVE_PERIOD) }],
  ['location/mode/update', 'mode', { mode: 'ALWAYS' }],
  ['location/mode/update', 'mode', { mode: undefined }],
  ['location/mode/update', 'expiresIn', { expiresIn: 0 }],
  ['location/mode/update', 'expiresIn', { expiresIn: 86_401 }],
  ['device/lost-mode/update', 'lost', { lost: undefined }],
  ['device/lost-mode/update', 'lostMessage', { lost: true, lostMessage: '' }],
  ['device/lost-mode/update', 'lostMessage', { lost: true, lostMessage: 'x'.repeat(201) }],
];

describe('input validation', () => {
  test.each(INVALID_BODIES)(
    'POST %s rejects the value of %s in %j and changes no version',
    async (path, field, invalidFields) => {
      const versions = () => environment.query('SELECT * FROM userctx.settings_version ORDER BY resource');
      const before = await versions();
      const ids = path.endsWith('update') || path.endsWith('delete') ? { alarmId, schoolTimeId } : {};
      const { status, body } = await parent.post(path, { did, ...ids, ...VALID_BODIES[path], ...invalidFields });
      expect([status, body['code'], body['reason']]).toEqual([400, 400_001, 'VALIDATION_FAILED']);
      expect(body['details']).toContainEqual(expect.objectContaining({ field }));
      expect(await versions()).toEqual(before);
    },
  );

  test.each([
    ['device/alarm-clock/get', { did: 'x' }],
    ['device/school-disable/get', { did: 0 }],
    ['device/reject-stranger/get', {}],
    ['device/settings/get', { did: '' }],
    ['device/school-disable/early-exit/list', { limit: 201 }],
    ['device/school-disable/early-exit/list', { cursor: 'nonsense' }],
    ['device/reject-stranger/blocked-call/list', { limit: 0 }],
    ['device/reject-stranger/blocked-call/list', { cursor: Buffer.from('1.2').toString('base64url') }],
  ])('GET %s rejects the query %j', async (path, query) => {
    const { status, body } = await parent.get(path, path.endsWith('/list') ? { did, ...query } : query);
    expect([status, body['reason']]).toEqual([400, 'VALIDATION_FAILED']);
  });

  test.each<[string, object]>([
    ['blocked-call/report', {}],
    ['blocked-call/report', { calls: [] }],
    ['blocked-call/report', { calls: Array(101).fill(BLOCKED_CALL) }],
    ['early-exit/report', {}],
    ['early-exit/report', { exits: [] }],
  ])('POST watch/%s rejects the body %j', async (path, body) => {
    const response = await watch.post(WATCH_PATH + path, body);
    expect([response.status, response.body['reason']]).toEqual([400, 'VALIDATION_FAILED']);
  });

  test.each(['', 'ALARM', 'ALARM_CLOCK,', 'ALARM_CLOCK;DEVICE', 'alarm_clock'])(
    'GET watch/settings/get rejects %j as the value of resources',
    async (resources) => {
      const { status, body } = await watch.get(`${WATCH_PATH}settings/get`, { resources });
      expect([status, body['details']]).toEqual([400, [expect.objectContaining({ field: 'resources' })]]);
    },
  );
});

describe('unknown objects', () => {
  test.each<[string, object, string]>([
    ['device/alarm-clock/update', { alarmId: UNKNOWN_ID }, 'ALARM_CLOCK_NOT_FOUND'],
    ['device/alarm-clock/delete', { alarmId: 'no uuid' }, 'ALARM_CLOCK_NOT_FOUND'],
    ['device/school-disable/update', { schoolTimeId: UNKNOWN_ID }, 'SCHOOL_TIME_NOT_FOUND'],
    ['device/school-disable/delete', { schoolTimeId: 'no uuid' }, 'SCHOOL_TIME_NOT_FOUND'],
    ['device/reject-stranger/allow-number/delete', { allowId: 'no uuid' }, 'ALLOW_NUMBER_NOT_FOUND'],
    [
      'device/school-disable/create',
      { start: '13:00', end: '14:00', weekdays: [1], allowContacts: [UNKNOWN_ID] },
      'CONTACT_NOT_FOUND',
    ],
  ])('POST %s with the body %j returns 404 %s', async (path, body, reason) => {
    const response = await parent.post(path, { did, ...body });
    expect([response.status, response.body['reason']]).toEqual([404, reason]);
  });

  test('a change based on an old or unknown version returns 409 VERSION_STALE', async () => {
    for (const version of [0, 999]) {
      const response = await parent.post('device/alarm-clock/create', { did, hour: 1, minute: 1, version });
      expect(response).toMatchObject({ status: 409, body: { code: 409_015, reason: 'VERSION_STALE' } });
    }
  });
});
