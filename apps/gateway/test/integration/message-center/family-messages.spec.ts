import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { FAMILY_ROLE, type ChildPermission } from '@family-watch/domain/families/contracts/family-role';
import type { JoinRequestState, OwnershipClaimState } from '@family-watch/domain/families/contracts/family';
import { FENCE_EVENT_TYPE, type FenceEventType } from '@family-watch/domain/locations/contracts/fence';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { OrderState } from '@family-watch/domain/payments/contracts/payment';
import { MessageCenterService } from '../../../src/notifications/message-center/message-center.service.js';
import { SubscriptionService } from '../../../src/notifications/subscriptions/subscription.service.js';
import { user } from '../../support/gateway-test-environment.js';
import type { FamilyFixture } from '../../support/family-fixture.js';
import { createFamily } from '../../support/clients.js';
import { query, serviceOf, useSharedGateway } from '../../support/suite-gateway.js';

const EVENT_TIME = 1_790_000_000_000;

useSharedGateway();
beforeAll(() => {
  messageCenter = serviceOf(MessageCenterService);
});
let messageCenter: MessageCenterService;
let fixture: FamilyFixture;

beforeEach(async () => {
  fixture = await createFamily();
});

const messagesOf = async ({ id }: { id: string }) => (await messageCenter.list(id, {})).items;
const typesOf = async (person: { id: string }) => (await messagesOf(person)).map(({ type }) => type);

describe('AlertsEventHandlers.publishFenceEvent', () => {
  function publishFenceEvent(type: FenceEventType, late = false, id?: string): Promise<void> {
    const event = { fenceId: 'f1', fenceEventId: 'e1', type, time: EVENT_TIME, late };
    return fixture.publish('userctx.fence.triggered', event, id);
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
    await query('DELETE FROM gateway.inbox WHERE event_id = $1', [id]);
    await publishFenceEvent('ENTERED', false, id);
    expect(await typesOf(fixture.owner)).toEqual(['FENCE_ENTERED']);
  });

  test.each<[ChildPermission[]]>([[['ALERTS']], [['LOCATION']], [['CHAT', 'CALL']]])(
    'publishes nothing to a member whose only permissions are %j',
    async (permissions) => {
      await fixture.changeGuardian({ permissions });
      await publishFenceEvent('ENTERED');
      expect(await typesOf(fixture.guardian)).toEqual([]);
      expect(await typesOf(fixture.owner)).toEqual(['FENCE_ENTERED']);
    },
  );

  test('deletes stored messages of a member who loses the LOCATION permission', async () => {
    await publishFenceEvent('ENTERED');
    await fixture.changeGuardian({ permissions: ['ALERTS'] });
    expect(await typesOf(fixture.guardian)).toEqual([]);
  });
});

test('MessageCenterEventHandlers publishes the start and the end of a location share to all guardians', async () => {
  const by = `user:${fixture.guardian.id}` as const;
  const share = { shareId: 's1', time: EVENT_TIME };
  await fixture.publish('userctx.location-share.changed', { ...share, active: true, by });
  const end = { ...share, active: false, by: null, time: EVENT_TIME + 1 };
  await fixture.publish('userctx.location-share.changed', end);
  for (const person of [fixture.owner, fixture.guardian]) {
    expect(await messagesOf(person)).toMatchObject([
      { type: 'LOCATION_SHARE_ENDED', severity: 'INFO', params: { shareId: 's1', by: null } },
      { type: 'LOCATION_SHARED', severity: 'WARNING', params: { shareId: 's1', by } },
    ]);
  }
});

test('MessageCenterEventHandlers publishes the installation of firmware to all guardians', async () => {
  await fixture.publish('userctx.firmware.installed', { version: '2.0.0', time: EVENT_TIME });
  for (const person of [fixture.owner, fixture.guardian]) {
    expect(await messagesOf(person)).toMatchObject([
      { type: 'FIRMWARE_INSTALLED', category: 'FIRMWARE', severity: 'INFO', params: { version: '2.0.0' } },
    ]);
  }
});

describe('MessageCenterEventHandlers.publishOrder', () => {
  const publishOrder = (state: OrderState, by: PrincipalKey) =>
    fixture.publish('userctx.order.changed', { orderId: 'o1', state, by, time: EVENT_TIME });

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
    await fixture.changeGuardian({ role: FAMILY_ROLE.CAREGIVER });
    await publishOrder('FULFILLED', 'user:7');
    expect(await typesOf(fixture.owner)).toContain('ORDER_CHANGED');
    expect(await typesOf(fixture.guardian)).not.toContain('ORDER_CHANGED');
  });
});

describe('MessageCenterEventHandlers.publishJoinRequest', () => {
  const applicant = user();

  function publishChange(state: JoinRequestState): Promise<void> {
    const joinRequest = { applicationId: 'a1', applicantUserId: applicant.id, state, time: EVENT_TIME };
    return fixture.publish('userctx.family-application.changed', joinRequest);
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

  test('publishes nothing when the request is cancelled, and for a request to a dissolved family', async () => {
    await publishChange('CANCELLED');
    await fixture.change({ dissolved: true });
    await publishChange('PENDING');
    for (const person of [fixture.owner, fixture.guardian, applicant]) expect(await messagesOf(person)).toEqual([]);
  });
});

describe('MessageCenterEventHandlers.publishOwnershipChange', () => {
  function publishClaim(state: OwnershipClaimState, time = EVENT_TIME): Promise<void> {
    const claim = { claimId: 'c1', claimantUserId: fixture.guardian.id, deadline: EVENT_TIME + 7, time };
    const by = state === 'GRANTED' ? null : (`user:${fixture.owner.id}` as const);
    return fixture.publish('userctx.ownership-claim.changed', { ...claim, state, by });
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
    await fixture.changeGuardian({ role: FAMILY_ROLE.CAREGIVER });
    await publishClaim('OPEN');
    const transfer = { fromUserId: fixture.owner.id, toUserId: fixture.guardian.id, time: EVENT_TIME + 1 };
    await fixture.publish('userctx.family.transferred', transfer);
    expect(await typesOf(fixture.owner)).toEqual(['OWNER_CHANGED', 'OWNERSHIP_CLAIMED']);
    expect(await typesOf(fixture.guardian)).toEqual([]);
  });
});

describe('MessageCenterEventHandlers.publishAccessChange', () => {
  const publishChange = (removed: boolean) => {
    const by = `user:${fixture.owner.id}` as const;
    const change = { userId: fixture.guardian.id, removed, by, time: EVENT_TIME };
    return fixture.publish('userctx.member-access.changed', change);
  };

  test('notifies only the member, also one that has disabled the category', async () => {
    const categories = [{ category: 'FAMILY' as const, enabled: false }];
    await serviceOf(SubscriptionService).update(fixture.guardian.id, { categories });
    await fixture.changeGuardian({ role: FAMILY_ROLE.CONTACT });
    await publishChange(false);
    expect(await messagesOf(fixture.guardian)).toMatchObject([
      { type: 'ACCESS_CHANGED', severity: 'WARNING', familyId: fixture.family.familyId, params: { state: 'CHANGED' } },
    ]);
    expect(await typesOf(fixture.owner)).not.toContain('ACCESS_CHANGED');
  });

  test('notifies a person whom the owner has removed', async () => {
    await fixture.removeGuardian();
    await publishChange(true);
    expect(await messagesOf(fixture.guardian)).toMatchObject([
      { type: 'ACCESS_CHANGED', familyId: null, params: { state: 'REMOVED' } },
    ]);
  });
});

test('MessageCenterEventHandlers notifies all former members of a dissolved family', async () => {
  const { familyId } = fixture.family;
  await fixture.change({ dissolved: true });
  const memberUserIds = [fixture.owner.id, fixture.guardian.id];
  const by = `user:${fixture.owner.id}` as const;
  await fixture.publish('userctx.family.dissolved', { by, memberUserIds, time: EVENT_TIME });
  for (const person of [fixture.owner, fixture.guardian]) {
    expect(await messagesOf(person)).toMatchObject([
      { type: 'FAMILY_DISSOLVED', familyId: null, params: { familyId } },
    ]);
    expect((await messageCenter.list(person.id, {})).unread).toBe(1);
  }
});
