import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { JoinRequestState, OwnershipClaimState } from '@family-watch/domain/families/contracts/family';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import { FENCE_EVENT_TYPE } from '@family-watch/domain/fences/contracts/fence';
import type { FenceEventType } from '@family-watch/domain/fences/contracts/fence';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { OrderState } from '@family-watch/domain/payments/contracts/payment';
import { MessageCenterService } from '../../../src/contexts/notifications/message-center/message-center.service.js';
import { nextVersion, user } from '../../support/gateway-test-environment.js';
import { FamilyFixture } from '../../support/family-fixture.js';
import { createFamily, environment, node, useSharedGateway } from '../../support/suite-gateway.js';

const EVENT_TIME = 1_790_000_000_000;

useSharedGateway();
beforeAll(() => {
  messageCenter = node.app.get(MessageCenterService, { strict: false });
});
let messageCenter: MessageCenterService;
let fixture: FamilyFixture;

beforeEach(async () => {
  fixture = await createFamily();
});

const messagesOf = async ({ id }: { id: string }) => (await messageCenter.list(id, {})).items;
const typesOf = async (person: { id: string }) => (await messagesOf(person)).map(({ type }) => type);

/** Publishes the family with a changed role or changed permissions of the guardian. */
async function changeGuardian(change: object): Promise<void> {
  const [owner, guardian] = fixture.family.members;
  if (!owner || !guardian) throw new Error('No members');
  await environment.publishFamily(nextVersion(fixture.family, { members: [owner, { ...guardian, ...change }] }));
}

describe('AlertsEventHandlers.publishFenceEvent', () => {
  function publishFenceEvent(type: FenceEventType, late = false, id: string = randomUUID()): Promise<void> {
    const { familyId } = fixture.family;
    const fenceEvent = { familyId, cid: fixture.cid, did: fixture.did, fenceId: 'f1', fenceEventId: 'e1' };
    const payload = { ...fenceEvent, type, time: EVENT_TIME, late };
    return environment.publish({ name: 'userctx.fence.triggered', key: familyId, payload }, id);
  }

  test.each(Object.values(FENCE_EVENT_TYPE))(
    'publishes a fence event %s with the ids of the fence and of the event',
    async (type) => {
      await publishFenceEvent(type, type === 'LEFT');
      const params = { fenceId: 'f1', fenceEventId: 'e1', late: type === 'LEFT' };
      const message = {
        type: `FENCE_${type}`,
        category: 'FENCE',
        cid: fixture.cid,
        did: fixture.did,
        time: EVENT_TIME,
        params,
      };
      for (const person of [fixture.owner, fixture.guardian]) expect(await messagesOf(person)).toMatchObject([message]);
    },
  );

  test('publishes NOT_ARRIVED and LEFT_EARLY with severity WARNING, and ENTERED with severity INFO', async () => {
    for (const type of ['NOT_ARRIVED', 'LEFT_EARLY', 'ENTERED'] as const) await publishFenceEvent(type);
    const severities = Object.fromEntries(
      (await messagesOf(fixture.owner)).map(({ type, severity }) => [type, severity]),
    );
    expect(severities).toEqual({ FENCE_NOT_ARRIVED: 'WARNING', FENCE_LEFT_EARLY: 'WARNING', FENCE_ENTERED: 'INFO' });
  });

  test('publishes a repeated event once', async () => {
    const id = randomUUID();
    await publishFenceEvent('ENTERED', false, id);
    await node.unitOfWork.executor.query('DELETE FROM gateway.inbox WHERE event_id = $1', [id]);
    await publishFenceEvent('ENTERED', false, id);
    expect(await typesOf(fixture.owner)).toEqual(['FENCE_ENTERED']);
  });

  test.each([[['ALERTS']], [['LOCATION']], [['CHAT', 'CALL']]])(
    'publishes nothing to a member whose only permissions are %j',
    async (permissions) => {
      await changeGuardian({ permissions });
      await publishFenceEvent('ENTERED');
      expect(await typesOf(fixture.guardian)).toEqual([]);
      expect(await typesOf(fixture.owner)).toEqual(['FENCE_ENTERED']);
    },
  );

  test('deletes stored messages of a member who loses the LOCATION permission', async () => {
    await publishFenceEvent('ENTERED');
    await changeGuardian({ permissions: ['ALERTS'] });
    expect(await typesOf(fixture.guardian)).toEqual([]);
  });
});

test('MessageCenterEventHandlers publishes the start and the end of a location share to all guardians', async () => {
  const { familyId } = fixture.family;
  const share = { familyId, cid: fixture.cid, shareId: 's1', time: EVENT_TIME };
  const by = `user:${fixture.guardian.id}` as const;
  const publishChange = (payload: typeof share & { active: boolean; by: typeof by | null }) =>
    environment.publish({ name: 'userctx.location-share.changed', key: familyId, payload });
  await publishChange({ ...share, active: true, by });
  await publishChange({ ...share, active: false, by: null, time: EVENT_TIME + 1 });
  for (const person of [fixture.owner, fixture.guardian]) {
    expect(await messagesOf(person)).toMatchObject([
      { type: 'LOCATION_SHARE_ENDED', severity: 'INFO', params: { shareId: 's1', by: null } },
      { type: 'LOCATION_SHARED', severity: 'WARNING', params: { shareId: 's1', by } },
    ]);
  }
});

test('MessageCenterEventHandlers publishes the installation of firmware to all guardians', async () => {
  const { familyId } = fixture.family;
  const payload = { familyId, cid: fixture.cid, did: fixture.did, version: '2.0.0', time: EVENT_TIME };
  await environment.publish({ name: 'userctx.firmware.installed', key: familyId, payload });
  for (const person of [fixture.owner, fixture.guardian]) {
    expect(await messagesOf(person)).toMatchObject([
      { type: 'FIRMWARE_INSTALLED', category: 'FIRMWARE', severity: 'INFO', params: { version: '2.0.0' } },
    ]);
  }
});

describe('MessageCenterEventHandlers.publishOrder', () => {
  async function publishOrder(state: OrderState, by: PrincipalKey): Promise<void> {
    const { familyId } = fixture.family;
    const payload = { familyId, cid: fixture.cid, orderId: 'o1', state, by, time: EVENT_TIME };
    await environment.publish({ name: 'userctx.order.changed', key: familyId, payload });
  }

  test.each<[OrderState, PrincipalKey, string[]]>([
    ['CREATED', 'watch:7', ['ORDER_REQUESTED']],
    ['CREATED', 'user:7', []],
    ['PENDING', 'watch:7', []],
    ['PAID', 'watch:7', []],
    ['FULFILLED', 'user:7', ['ORDER_CHANGED']],
    ['FAILED', 'user:7', ['ORDER_CHANGED']],
    ['REFUNDED', 'user:7', ['ORDER_CHANGED']],
  ])(
    'for an order in the state %s that %s has created, owner and guardian get the messages %j',
    async (state, by, types) => {
      await publishOrder(state, by);
      for (const person of [fixture.owner, fixture.guardian]) expect(await typesOf(person)).toEqual(types);
    },
  );

  test('does not notify a caregiver', async () => {
    await changeGuardian({ role: FAMILY_ROLE.CAREGIVER });
    await publishOrder('FULFILLED', 'user:7');
    expect(await typesOf(fixture.owner)).toContain('ORDER_CHANGED');
    expect(await typesOf(fixture.guardian)).not.toContain('ORDER_CHANGED');
  });
});

describe('MessageCenterEventHandlers.publishJoinRequest', () => {
  const applicant = user();

  async function publishChange(state: JoinRequestState): Promise<void> {
    const { familyId } = fixture.family;
    const joinRequest = {
      familyId,
      cid: fixture.cid,
      did: fixture.did,
      applicationId: 'a1',
      applicantUserId: applicant.id,
    };
    const payload = { ...joinRequest, state, time: EVENT_TIME };
    await environment.publish({ name: 'userctx.family-application.changed', key: familyId, payload });
  }

  test('notifies only the owner of a new request', async () => {
    await publishChange('PENDING');
    const params = { applicationId: 'a1', applicantUserId: applicant.id };
    expect(await messagesOf(fixture.owner)).toMatchObject([{ type: 'APPLICATION_MADE', cid: fixture.cid, params }]);
    expect(await messagesOf(fixture.guardian)).toEqual([]);
    expect(await messagesOf(applicant)).toEqual([]);
  });

  test('notifies the applicant of the decision without naming the family', async () => {
    for (const state of ['APPROVED', 'REJECTED', 'EXPIRED'] as const) {
      await publishChange(state);
      const [decision] = await messagesOf(applicant);
      expect(decision).toMatchObject({ type: 'APPLICATION_ANSWERED', params: { applicationId: 'a1', state } });
      expect(decision).toMatchObject({ familyId: null, cid: null, did: null });
      await messageCenter.delete(applicant.id, { messageIds: [decision?.messageId ?? ''] });
    }
    expect(await messagesOf(fixture.owner)).toEqual([]);
  });

  test('publishes nothing when the request is cancelled', async () => {
    await publishChange('CANCELLED');
    for (const person of [fixture.owner, fixture.guardian, applicant]) expect(await messagesOf(person)).toEqual([]);
  });

  test('publishes nothing for a request to a dissolved family', async () => {
    await environment.publishFamily(nextVersion(fixture.family, { dissolved: true }));
    await publishChange('PENDING');
    expect(await messagesOf(fixture.owner)).toEqual([]);
  });
});

describe('MessageCenterEventHandlers.publishOwnershipChange', () => {
  function publishClaim(state: OwnershipClaimState, time = EVENT_TIME): Promise<void> {
    const { familyId } = fixture.family;
    const claim = { familyId, claimId: 'c1', claimantUserId: fixture.guardian.id, deadline: EVENT_TIME + 7, time };
    const by = state === 'GRANTED' ? null : (`user:${fixture.owner.id}` as const);
    return environment.publish({
      name: 'userctx.ownership-claim.changed',
      key: familyId,
      payload: { ...claim, state, by },
    });
  }

  test('notifies the owner and every guardian when an ownership claim is made and when it ends', async () => {
    await publishClaim('OPEN');
    await publishClaim('REFUSED', EVENT_TIME + 1);
    for (const person of [fixture.owner, fixture.guardian]) {
      expect(await messagesOf(person)).toMatchObject([
        { type: 'OWNERSHIP_CLAIM_ENDED', severity: 'WARNING', params: { claimId: 'c1', state: 'REFUSED' } },
        { type: 'OWNERSHIP_CLAIMED', severity: 'WARNING', params: { claimId: 'c1', deadline: EVENT_TIME + 7 } },
      ]);
    }
  });

  test('notifies owner and guardians of a new owner, but not caregivers', async () => {
    await changeGuardian({ role: FAMILY_ROLE.CAREGIVER });
    await publishClaim('OPEN');
    const { familyId } = fixture.family;
    const payload = { familyId, fromUserId: fixture.owner.id, toUserId: fixture.guardian.id, time: EVENT_TIME + 1 };
    await environment.publish({ name: 'userctx.family.transferred', key: familyId, payload });
    expect(await typesOf(fixture.owner)).toEqual(['OWNER_CHANGED', 'OWNERSHIP_CLAIMED']);
    expect(await typesOf(fixture.guardian)).toEqual([]);
  });
});

test('MessageCenterEventHandlers notifies all former members of a dissolved family', async () => {
  const { familyId } = fixture.family;
  await environment.publishFamily(nextVersion(fixture.family, { dissolved: true }));
  const memberUserIds = [fixture.owner.id, fixture.guardian.id];
  const payload = { familyId, by: `user:${fixture.owner.id}`, memberUserIds, time: EVENT_TIME } as const;
  await environment.publish({ name: 'userctx.family.dissolved', key: familyId, payload });
  for (const person of [fixture.owner, fixture.guardian]) {
    expect(await messagesOf(person)).toMatchObject([
      { type: 'FAMILY_DISSOLVED', familyId: null, params: { familyId } },
    ]);
    expect((await messageCenter.list(person.id, {})).unread).toBe(1);
  }
});
