import { Injectable } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import { familyPrincipals, type FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { CenterMessageParams, CenterMessageType } from '@family-watch/domain/messages/contracts/message-center';
import { ORDER_STATE, type OrderState } from '@family-watch/domain/payments/contracts/payment';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { OnEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { mayReceive } from '../../projections/delivery-access.js';
import { FamilyLookupService } from '../../projections/family-lookup.service.js';
import { PushRepository } from '../push/push.repository.js';
import { AlertRepository } from './alert.repository.js';
import { CenterMessageRepository } from './center-message.repository.js';
import { MessageCenterService } from './message-center.service.js';

const USER_PREFIX = 'user:';
const WATCH_PREFIX = 'watch:';

/** The states of an order that members are notified of. */
const NOTIFIED_ORDER_STATES: readonly OrderState[] = [ORDER_STATE.FULFILLED, ORDER_STATE.FAILED, ORDER_STATE.REFUNDED];

/** Subject of messages to users who are not, or not any more, members of the family that the message is about. */
const NO_FAMILY = { familyId: null, cid: null, did: null, audience: 'MEMBERS' } as const;

type DeletionEvent = 'userctx.child.deleted' | 'userctx.child.restored';

type OwnershipEvent = 'userctx.ownership-claim.changed' | 'userctx.family.transferred';

/**
 * Publishes center messages about families, members, friends and accounts; deletes the data of erased
 * children and ended sessions.
 */
@Injectable()
export class MessageCenterEventHandlers {
  constructor(
    private readonly messages: CenterMessageRepository,
    private readonly alerts: AlertRepository,
    private readonly center: MessageCenterService,
    private readonly families: FamilyLookupService,
    private readonly pushTokens: PushRepository,
  ) {}

  /** Deletes all center messages and alerts about an erased child. A child is erased seven days after its deletion. */
  @OnEvent('userctx.child.erased', { handler: 'gateway.message-center.erase-child' })
  async deleteChildCenterMessages({
    payload: { familyId, cid },
  }: EventOf<DomainEvents, 'userctx.child.erased'>): Promise<void> {
    await this.messages.deleteChild(familyId, cid);
    await this.alerts.deleteChild(familyId, cid);
  }

  /** Publishes the progress of a batch task to the member who started it, in one message that is updated. */
  @OnEvent('mcdisk.batch-task.changed', { handler: 'gateway.message-center.notify-batch-task' })
  async publishBatchTaskProgress({ id, payload }: EventOf<DomainEvents, 'mcdisk.batch-task.changed'>): Promise<void> {
    const { cloudID, by, time, ...params } = payload;
    // A watch has no message centre; it polls the task.
    if (!by.startsWith(USER_PREFIX)) return;
    // A message of a family whose snapshot was not received yet would not be delivered: the event is retried instead.
    await this.families.get(cloudID);
    const subject = { familyId: cloudID, cid: null, did: null, audience: 'MEMBERS' } as const;
    const content = { type: 'CLOUD_TASK_CHANGED', params: { cloudID, ...params }, time } as const;
    const identity = { source: `batch-task:${params.taskID}`, version: id };
    await this.center.publish({ ...subject, ...content, ...identity, userIds: [by.slice(USER_PREFIX.length)] });
  }

  /**
   * Notifies all guardians when a child is deleted or restored. Deletion requires no step-up, but guardians can restore
   * the child.
   */
  @OnEvent(['userctx.child.deleted', 'userctx.child.restored'], {
    handler: 'gateway.message-center.notify-child-deletion',
  })
  async publishChildDeletion({ id, name, time, payload }: EventOf<DomainEvents, DeletionEvent>): Promise<void> {
    const { familyId, cid, by } = payload;
    const type = name === 'userctx.child.deleted' ? 'CHILD_DELETED' : 'CHILD_RESTORED';
    const subject = { familyId, cid, did: null, audience: 'GUARDIANS' } as const;
    await this.center.publish({ ...subject, source: id, type, params: { by }, time });
  }

  /**
   * Notifies the former members of a dissolved family. The message has no family as its subject, because a dissolved
   * family has no members who could receive it.
   */
  @OnEvent('userctx.family.dissolved', { handler: 'gateway.message-center.notify-family-dissolved' })
  async publishFamilyDissolved({ id, payload }: EventOf<DomainEvents, 'userctx.family.dissolved'>): Promise<void> {
    const { familyId, by, memberUserIds: userIds, time } = payload;
    const content = { type: 'FAMILY_DISSOLVED', params: { familyId, by }, time } as const;
    await this.center.publish({ ...NO_FAMILY, ...content, source: id, userIds });
  }

  /**
   * Notifies the guardians of a family when they have to decide on a friend request, and both families of the result.
   */
  @OnEvent('userctx.friend-application.changed', { handler: 'gateway.message-center.notify-friend-request' })
  async publishFriendRequest({
    id,
    payload,
  }: EventOf<DomainEvents, 'userctx.friend-application.changed'>): Promise<void> {
    const { applicationId, from, to, state, time } = payload;
    // The requesting child's family decides first; the other family is notified once the first family has agreed.
    const notifiedSides = state === 'APPLIED' ? [from] : state === 'CONFIRMED' ? [to] : [from, to];
    for (const { familyId, cid, did } of notifiedSides) {
      const subject = { familyId, cid, did, audience: 'GUARDIANS' } as const;
      const params = { applicationId, state };
      const source = `${id}:${cid}`;
      await this.center.publish({ ...subject, source, type: 'FRIEND_APPLICATION_CHANGED', params, time });
    }
  }

  /** Notifies the owner of a new join request, and the applicant of the decision. */
  @OnEvent('userctx.family-application.changed', { handler: 'gateway.message-center.notify-join-request' })
  async publishJoinRequest({
    id: source,
    payload,
  }: EventOf<DomainEvents, 'userctx.family-application.changed'>): Promise<void> {
    const { familyId, cid, did, applicationId, applicantUserId, state, time } = payload;
    // The applicant has withdrawn the request and needs no notification.
    if (state === 'CANCELLED') return;
    if (state === 'PENDING') {
      const { ownerUserId, dissolved } = await this.families.get(familyId);
      if (dissolved) return;
      const subject = { familyId, cid, did, audience: 'GUARDIANS', userIds: [ownerUserId] } as const;
      const params = { applicationId, applicantUserId };
      await this.center.publish({ ...subject, source, type: 'APPLICATION_MADE', params, time });
      return;
    }
    // The applicant may not be a member of the family (yet): the message reveals nothing about the family.
    const content = { type: 'APPLICATION_ANSWERED', params: { applicationId, state }, time } as const;
    await this.center.publish({ ...NO_FAMILY, ...content, source, userIds: [applicantUserId] });
  }

  /** Notifies all guardians when a location share of a child is created or ends. */
  @OnEvent('userctx.location-share.changed', { handler: 'gateway.message-center.notify-location-share' })
  async publishLocationShare({ id, payload }: EventOf<DomainEvents, 'userctx.location-share.changed'>): Promise<void> {
    const { familyId, cid, shareId, active, by, time } = payload;
    const type = active ? 'LOCATION_SHARED' : 'LOCATION_SHARE_ENDED';
    const subject = { familyId, cid, did: null, audience: 'GUARDIANS' } as const;
    await this.center.publish({ ...subject, source: id, type, params: { shareId, by }, time });
  }

  /** Publishes who joined and left a family, and deletes stored messages that their recipient may not see any more. */
  @OnEvent('userctx.family.changed', { handler: 'gateway.message-center.notify-members' })
  async publishMemberChanges({
    id,
    time,
    payload: family,
  }: EventOf<DomainEvents, 'userctx.family.changed'>): Promise<void> {
    const previous = await this.messages.lockNotifiedFamily(family.familyId);
    if (previous && previous.version >= family.version) return;
    const members = familyPrincipals({ ...family, children: [] }).map((key) => key.slice('user:'.length));
    await this.messages.saveNotifiedFamily({ familyId: family.familyId, version: family.version, members });
    await this.deleteInvisibleMessages(family);
    // The first snapshot of a family publishes no joins, because its members had joined before.
    if (!previous || family.dissolved) return;
    const joined = members.filter((userId) => !previous.members.includes(userId));
    const left = previous.members.filter((userId) => !members.includes(userId));
    const subject = { familyId: family.familyId, cid: null, did: null, audience: 'GUARDIANS', time } as const;
    for (const userId of joined)
      await this.center.publish({ ...subject, source: `${id}:${userId}`, type: 'MEMBER_JOINED', params: { userId } });
    for (const userId of left)
      await this.center.publish({ ...subject, source: `${id}:${userId}`, type: 'MEMBER_LEFT', params: { userId } });
  }

  /**
   * Notifies a member whose role or permissions the owner has changed, and a person whom the owner has removed, so that
   * the person's apps stop showing what the person may not see any more.
   */
  @OnEvent('userctx.member-access.changed', { handler: 'gateway.message-center.notify-access' })
  async publishAccessChange({
    id: source,
    payload,
  }: EventOf<DomainEvents, 'userctx.member-access.changed'>): Promise<void> {
    const { familyId, userId, removed, by, time } = payload;
    const subject = removed ? NO_FAMILY : { ...NO_FAMILY, familyId };
    const params = { familyId, state: removed ? 'REMOVED' : 'CHANGED', by };
    await this.center.publish({ ...subject, source, type: 'ACCESS_CHANGED', params, time, userIds: [userId] });
  }

  private async deleteInvisibleMessages(family: FamilySnapshot): Promise<void> {
    const stored = await this.messages.findSubjects(family.familyId);
    const invisible = stored.filter((subject) => !mayReceive(`user:${subject.userId}`, subject, family));
    if (invisible.length > 0) await this.messages.deleteBySubjects(family.familyId, invisible);
  }

  /**
   * Notifies the owner and the guardians of ownership claims and transfers, because they can object. One handler
   * processes claims and transfers, so that a claim and its outcome are published in order.
   */
  @OnEvent(['userctx.ownership-claim.changed', 'userctx.family.transferred'], {
    handler: 'gateway.message-center.notify-ownership',
  })
  async publishOwnershipChange(event: EventOf<DomainEvents, OwnershipEvent>): Promise<void> {
    const { familyId, time } = event.payload;
    const subject = { familyId, cid: null, did: null, audience: 'GUARDIANS' } as const;
    const family = await this.families.get(familyId);
    const userIds = family.members
      .filter(({ userId, role }) => role <= FAMILY_ROLE.GUARDIAN && mayReceive(`user:${userId}`, subject, family))
      .map(({ userId }) => userId);
    await this.center.publish({ ...subject, source: event.id, ...toMessageContent(event), time, userIds });
  }

  /** Notifies owner and guardians when a child's watch asks for a product, and when a payment had an effect. */
  @OnEvent('userctx.order.changed', { handler: 'gateway.message-center.notify-order' })
  async publishOrder({ id: source, payload }: EventOf<DomainEvents, 'userctx.order.changed'>): Promise<void> {
    const { familyId, cid, orderId, state, by, time } = payload;
    const isRequest = state === ORDER_STATE.CREATED && by?.startsWith(WATCH_PREFIX) === true;
    if (!isRequest && !NOTIFIED_ORDER_STATES.includes(state)) return;
    const { members, dissolved } = await this.families.get(familyId);
    if (dissolved) return;
    const subject = { familyId, cid, did: null, audience: 'GUARDIANS' } as const;
    const userIds = members.filter(({ role }) => role <= FAMILY_ROLE.GUARDIAN).map(({ userId }) => userId);
    const type = isRequest ? 'ORDER_REQUESTED' : 'ORDER_CHANGED';
    await this.center.publish({ ...subject, source, type, params: { orderId, state }, time, userIds });
  }

  /** Notifies all guardians when a child's watch has installed new firmware. */
  @OnEvent('userctx.firmware.installed', { handler: 'gateway.message-center.notify-firmware' })
  async publishFirmware({ id: source, payload }: EventOf<DomainEvents, 'userctx.firmware.installed'>): Promise<void> {
    const { familyId, cid, did, version, time } = payload;
    const subject = { familyId, cid, did, audience: 'GUARDIANS' } as const;
    await this.center.publish({ ...subject, source, type: 'FIRMWARE_INSTALLED', params: { version }, time });
  }

  /** Notifies a user of every new sign-in to the account. */
  @OnEvent('userctx.session.started', { handler: 'gateway.message-center.notify-sign-in' })
  async publishSignIn({ id, payload }: EventOf<DomainEvents, 'userctx.session.started'>): Promise<void> {
    const { userId, sessionId, time } = payload;
    const content = { type: 'SIGN_IN_NEW', params: { sessionId }, time } as const;
    await this.center.publish({ ...NO_FAMILY, ...content, source: id, userIds: [userId] });
  }

  /** Notifies a person's devices and the guardians of the person's families when the account will be deleted. */
  @OnEvent('userctx.account-deletion.changed', { handler: 'gateway.message-center.notify-account-deletion' })
  async publishAccountDeletion({
    id,
    payload,
  }: EventOf<DomainEvents, 'userctx.account-deletion.changed'>): Promise<void> {
    const { userId, state, familyIds, eraseAt, time } = payload;
    const content = { type: 'ACCOUNT_DELETION_CHANGED', params: { userId, state, eraseAt }, time } as const;
    await this.center.publish({ ...NO_FAMILY, ...content, source: id, userIds: [userId] });
    for (const familyId of familyIds) {
      const { members } = await this.families.get(familyId);
      const subject = { familyId, cid: null, did: null, audience: 'GUARDIANS' } as const;
      const userIds = members
        .filter((member) => member.userId !== userId && member.role <= FAMILY_ROLE.GUARDIAN)
        .map((member) => member.userId);
      await this.center.publish({ ...subject, ...content, source: `${id}:${familyId}`, userIds });
    }
  }

  /** Warns a user that a used refresh token was sent again: someone may have copied the tokens of a device. */
  @OnEvent('userctx.session.token-reused', { handler: 'gateway.message-center.notify-token-reuse' })
  async publishTokenReuse({ id, payload }: EventOf<DomainEvents, 'userctx.session.token-reused'>): Promise<void> {
    const { userId, sessionId, time } = payload;
    const content = { type: 'SESSION_TOKEN_REUSED', params: { sessionId }, time } as const;
    await this.center.publish({ ...NO_FAMILY, ...content, source: id, userIds: [userId] });
  }

  /**
   * Notifies a user when an export of the user's data is requested, and of its outcome, in one message that is updated:
   * the request may be someone else's.
   */
  @OnEvent('userctx.data-export.changed', { handler: 'gateway.message-center.notify-data-export' })
  async publishDataExport({ id, payload }: EventOf<DomainEvents, 'userctx.data-export.changed'>): Promise<void> {
    const { exportId, userId, state, time } = payload;
    const content = { type: 'DATA_EXPORT_CHANGED', params: { exportId, state }, time } as const;
    const identity = { source: `data-export:${exportId}`, version: id };
    await this.center.publish({ ...NO_FAMILY, ...content, ...identity, userIds: [userId] });
  }

  /** Deletes the push tokens of an ended session, so a signed-out phone gets no more notifications. */
  @OnEvent('userctx.session.ended', { handler: 'gateway.push.delete-session-tokens' })
  async deleteSessionPushTokens({ payload }: EventOf<DomainEvents, 'userctx.session.ended'>): Promise<void> {
    await this.pushTokens.deleteTokensBySession(payload.sessionId);
  }
}

function toMessageContent({ name, payload }: EventOf<DomainEvents, OwnershipEvent>): {
  type: CenterMessageType;
  params: CenterMessageParams;
} {
  if (name === 'userctx.family.transferred') {
    const { fromUserId, toUserId } = payload;
    return { type: 'OWNER_CHANGED', params: { fromUserId, toUserId } };
  }
  const { claimId, claimantUserId, state, by, deadline } = payload;
  if (state === 'OPEN') return { type: 'OWNERSHIP_CLAIMED', params: { claimId, claimantUserId, deadline } };
  return { type: 'OWNERSHIP_CLAIM_ENDED', params: { claimId, claimantUserId, state, by } };
}
