import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FamilyFixture } from '../support/family-fixture.js';
import { tableDigests, waitUntilEventsProcessed } from '../support/table-digests.js';
import { TestService } from '../support/test-service.js';
import { WATCH_PATH } from '../support/watch.js';

const USER_PATH = '/apis/v2/userctx/user/';
const UNKNOWN_ID = '0d5c1f8e-33a0-4c8e-8f5e-5d1d3a3a9b10';

/** Path and well-formed body of each operation for users; all ids in these bodies are unknown to the service. */
const PARENT_OPERATIONS: [string, Record<string, unknown>][] = [
  ['device/friends/apply', { did: 1, friendCode: '0123456789' }],
  ['device/friends/confirm', { did: 1, applicationId: UNKNOWN_ID }],
  ['device/friends/reject', { did: 1, applicationId: UNKNOWN_ID }],
  ['device/friends/delete', { did: 1, applicationId: UNKNOWN_ID }],
  ['device/friends/block', { did: 1, applicationId: UNKNOWN_ID }],
  ['device/friends/unblock', { did: 1, applicationId: UNKNOWN_ID }],
  ['device/remote-control/shutdown', { did: 1 }],
  ['device/remote-control/reboot', { did: 1 }],
  ['device/remote-control/find', { did: 1 }],
  ['device/remote-control/cancel', { did: 1, commandId: UNKNOWN_ID }],
  ['location/ask', { did: 1 }],
  ['sos/ack', { cid: UNKNOWN_ID, sosId: UNKNOWN_ID }],
  ['sos/resolve', { cid: UNKNOWN_ID, sosId: UNKNOWN_ID }],
];
const WATCH_OPERATIONS: [string, Record<string, unknown>][] = [['command/result', { commandId: UNKNOWN_ID, ok: true }]];

const INVALID_VALUES: Record<'number' | 'string' | 'boolean', unknown[]> = {
  number: [undefined, null, '1', 0, -1, 1.5, 2 ** 53, [1], { did: 1 }, true],
  string: [undefined, null, 7, '', ['x'], {}, 'x'.repeat(129), 'a\u0000b', '\ud800'],
  boolean: [undefined, null, 'true', 1, 'yes', []],
};

const HOSTILE_TEXTS = [
  `' or '1'='1`,
  `${UNKNOWN_ID}'; drop table userctx.friendship; --`,
  '../../../etc/passwd',
  '%00',
  '{{7*7}}',
  '${jndi:ldap://x}',
  '\u202e0123456789',
  'NaN',
];

describe('invalid input to operations on friends, remote commands, location requests and SOS', () => {
  let service: TestService;
  let fixture: FamilyFixture;
  let before: Record<string, string>;

  beforeAll(async () => {
    service = await TestService.start('standalone');
    fixture = await FamilyFixture.create(service);
    await waitUntilEventsProcessed(service);
    before = await tableDigests(service);
  });
  afterAll(() => service.stop());

  const cells = [
    ...PARENT_OPERATIONS.map(([path, body]) => ['owner', USER_PATH + path, body] as const),
    ...WATCH_OPERATIONS.map(([path, body]) => ['watch', WATCH_PATH + path, body] as const),
  ].flatMap(([actor, address, body]) => Object.keys(body).map((field) => [address, field, body, actor] as const));

  test.each(cells)(
    '%s rejects each invalid %s and names the field in the error',
    async (address, field, body, actor) => {
      for (const value of INVALID_VALUES[typeof body[field] as keyof typeof INVALID_VALUES]) {
        const answer = await fixture[actor].post<{ reason: string; details: { field: string }[] }>(address, {
          ...body,
          [field]: value,
        });
        expect([value, answer.status, answer.body.reason]).toEqual([value, 400, 'VALIDATION_FAILED']);
        expect(answer.body.details[0]?.field).toBe(field);
      }
    },
  );

  test.each(cells.filter(([, field, body]) => typeof body[field] === 'string'))(
    '%s responds to a hostile %s as to an unknown id or code',
    async (address, field, body, actor) => {
      const own = { ...body, ...('did' in body ? { did: fixture.watch.did } : {}) };
      const validBody = { ...own, ...('cid' in body && field !== 'cid' ? { cid: fixture.cid } : {}) };
      for (const value of HOSTILE_TEXTS) {
        const { status, body: answer } = await fixture[actor].post(address, { ...validBody, [field]: value });
        const code = field === 'friendCode';
        expect([value, status]).toEqual([value, code ? 400 : 404]);
        expect(answer['reason']).toMatch(code ? /^CODE_INVALID$|^VALIDATION_FAILED$/ : /_NOT_FOUND$/);
      }
    },
  );

  test.each(['device/remote-control/list', 'sos/list'])('%s rejects an invalid cursor or limit', async (path) => {
    const own: Record<string, string | number> =
      path === 'sos/list' ? { cid: fixture.cid } : { did: fixture.watch.did };
    expect((await fixture.owner.get(path, own)).status).toBe(200);
    const cursors = ['x', HOSTILE_TEXTS[1] ?? ''].map((cursor): Record<string, string | number> => ({
      ...own,
      cursor,
    }));
    const limits = [0, 201, 'all'].map((limit) => ({ ...own, limit }));
    for (const query of [...cursors, ...limits]) {
      const answer = await fixture.owner.get(path, query);
      expect([query, answer.status, answer.body['reason']]).toEqual([query, 400, 'VALIDATION_FAILED']);
    }
  });

  test('a step counter that is not a whole number of at least 0 is rejected', async () => {
    for (const stepTotal of [undefined, null, '1', 'many', -1, 1.5, 2 ** 53, [1], {}, true]) {
      const answer = await fixture.watch.post<{ reason: string }>(`${WATCH_PATH}steps/report`, { stepTotal });
      expect([stepTotal, answer.status, answer.body.reason]).toEqual([stepTotal, 400, 'VALIDATION_FAILED']);
    }
  });

  test('the rejected requests change no row and cause no internal error', async () => {
    expect(await tableDigests(service)).toEqual(before);
    expect(service.errors).toEqual([]);
  });
});
