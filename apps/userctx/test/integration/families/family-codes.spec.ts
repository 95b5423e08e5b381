import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { JOIN_REQUEST_TTL_MS, JOIN_REQUEST_RETENTION_MS } from '@family-watch/domain/families/contracts/family';
import { AttemptLimiterService } from '../../../src/accounts/attempts/attempt-limiter.service.js';
import { JoinRequestsService } from '../../../src/families/memberships/join-requests.service.js';
import { MembershipsEventHandlers } from '../../../src/families/memberships/memberships.event-handlers.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx-infrastructure.js';
import type { ApiClient } from '../../support/api-client.js';
import { outcome, createFamily, type FamilyFixture } from '../../support/family-fixture.js';
import { FamilyTestEnvironment } from '../../support/family-test-environment.js';
import { JoinRequestClient } from '../../support/join-request-client.js';

let environment: FamilyTestEnvironment;
let family: FamilyFixture;
let joinRequests: JoinRequestClient;
let applicant: ApiClient;

beforeAll(async () => {
  // The outbox relay is disabled: events reach handlers only when a test delivers them.
  environment = await FamilyTestEnvironment.open({ isRelayDisabled: true });
});
afterAll(() => environment.close());
beforeEach(async () => {
  family = await createFamily(environment);
  joinRequests = new JoinRequestClient(environment, family);
  applicant = await environment.createPerson('Bo');
  // All requests of this suite share one IP address and would reach the limit of attempts per IP address.
  await environment.query('DELETE FROM userctx.attempt_counter');
  const limiter = environment.app.get(AttemptLimiterService, { strict: false });
  // The limiter also keeps the keys that have reached their limit in memory.
  (limiter as unknown as { exhausted: Map<string, number> }).exhausted.clear();
});

describe('family codes', () => {
  test.each<[string, () => Promise<object>]>([
    ['a guessed code', () => Promise.resolve({ familyCode: '0123456789' })],
    ['a malformed code', () => Promise.resolve({ familyCode: '\u{1F980}' })],
    ['a guessed invitation code', () => Promise.resolve({ inviteCode: 'x' })],
    [
      'a code that was replaced by a newer one',
      async () => {
        const familyCode = await joinRequests.createCode();
        await joinRequests.createCode();
        return { familyCode };
      },
    ],
    [
      'an expired code',
      async () => {
        const familyCode = await joinRequests.createCode();
        await environment.query('UPDATE userctx.family_code SET expires_at = 1 WHERE did = $1', [family.watch.did]);
        return { familyCode };
      },
    ],
    [
      'a code of a watch that is now bound to another child',
      async () => {
        const familyCode = await joinRequests.createCode();
        const other = await createFamily(environment);
        await environment.query('UPDATE userctx.family_child SET did = NULL WHERE did = ANY($1::bigint[])', [
          [family.watch.did, other.watch.did],
        ]);
        await environment.query('UPDATE userctx.family_child SET did = $1 WHERE cid = $2', [
          family.watch.did,
          other.cid,
        ]);
        return { familyCode };
      },
    ],
  ])('a join request with %s is rejected with CODE_INVALID', async (_, fields) => {
    expect(outcome(await joinRequests.sendRequest(applicant, await fields()))).toBe('CODE_INVALID');
    expect(await joinRequests.listStates(applicant)).toEqual([]);
  });

  test.each([{}, { familyCode: '0123456789', inviteCode: 'x' }])(
    'the body %j is rejected, because exactly one code is required',
    async (fields) => {
      const { status, body } = await joinRequests.sendRequest(applicant, fields);
      expect([status, body['reason']]).toEqual([400, 'VALIDATION_FAILED']);
      expect(body['details']).toEqual([expect.objectContaining({ field: 'familyCode', rule: 'isOneCode' })]);
    },
  );

  test('are accepted in upper or lower case and with separators, and are not stored in plain text', async () => {
    const familyCode = await joinRequests.createCode();
    const typedCode = `${familyCode.slice(0, 5)}-${familyCode.slice(5)}`.toLowerCase();
    expect(outcome(await joinRequests.sendRequest(applicant, { familyCode: typedCode }))).toBe('ok');
    expect(JSON.stringify(await environment.query('SELECT * FROM userctx.family_code'))).not.toContain(familyCode);
  });

  test('are rejected with RATE_LIMITED after 20 wrong guesses by one account', async () => {
    const outcomes: string[] = [];
    for (let count = 0; count < 22; count += 1) {
      outcomes.push(outcome(await joinRequests.sendRequest(applicant, { familyCode: '0123456789' })));
    }
    expect(outcomes.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 'CODE_INVALID'));
    expect(outcomes.slice(20)).toEqual(['RATE_LIMITED', 'RATE_LIMITED']);
  });

  test('are rejected with RATE_LIMITED when an IP address reaches its limit of guesses by all accounts', async () => {
    await joinRequests.sendRequest(applicant, { familyCode: '0123456789' });
    await environment.query('UPDATE userctx.attempt_counter SET attempts = 300');
    expect(
      outcome(await joinRequests.sendRequest(await environment.createPerson(), { familyCode: '0123456789' })),
    ).toBe('RATE_LIMITED');
  });

  test('are rejected with LIMIT_REACHED while the family has twenty pending join requests', async () => {
    await environment.query(
      `INSERT INTO userctx.family_application (application_id, family_id, applicant_user_id, state, name, area_code,
         phone_number, appellation, identity_type, created_at, expires_at, changed_at)
       SELECT gen_random_uuid(), $1, gen_random_uuid(), 'PENDING', 'X', '+86', '1', 'X', 0, 0, $2, 0
         FROM generate_series(1, 20)`,
      [family.familyId, Date.now() + 60_000],
    );
    expect(outcome(await joinRequests.sendRequest(applicant, { familyCode: await joinRequests.createCode() }))).toBe(
      'LIMIT_REACHED',
    );
    const response = await joinRequests.sendRequest(applicant, { familyCode: '0123456789' });
    expect(outcome(response)).toBe('CODE_INVALID');
  });
});

describe('retention of join requests', () => {
  test('keeps rejected join requests as long as the family exists, and other join requests for ninety days', async () => {
    const rejected = await environment.createPerson();
    await joinRequests.decide('reject', await joinRequests.createRequest(rejected));
    await joinRequests.cancel(await joinRequests.createRequest(applicant), applicant);
    const service = environment.app.get(JoinRequestsService, { strict: false });
    await service.expireDue(Date.now() + JOIN_REQUEST_RETENTION_MS - 60_000);
    expect(await joinRequests.listStates(applicant)).toEqual(['CANCELLED']);
    await service.expireDue(Date.now() + JOIN_REQUEST_RETENTION_MS + JOIN_REQUEST_TTL_MS);
    expect([await joinRequests.listStates(applicant), await joinRequests.listStates(rejected)]).toEqual([
      [],
      ['REJECTED'],
    ]);
  });

  test('removes the child and its watch from a join request when the child is erased', async () => {
    await joinRequests.createRequest(applicant);
    const handlers = environment.app.get(MembershipsEventHandlers, { strict: false });
    const event = {
      id: family.cid,
      key: family.familyId,
      time: 0,
      payload: { familyId: family.familyId, cid: family.cid },
    };
    await environment.app
      .get(UserctxUnitOfWork, { strict: false })
      .run(() => handlers.clearChildFromJoinRequests({ ...event, name: 'userctx.child.erased' }));
    const [row] = await environment.query('SELECT cid, did FROM userctx.family_application WHERE family_id = $1', [
      family.familyId,
    ]);
    expect(row).toEqual({ cid: null, did: null });
  });
});
