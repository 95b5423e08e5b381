import { Injectable } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { OnEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { PROJECTION, McdiskUnitOfWork } from '../infrastructure/mcdisk-infrastructure.js';
import { MediaGrantRepository } from './media-grant.repository.js';
import { MediaGrantMonitor } from './granted-media.service.js';
import { ShareRepository } from './share.repository.js';

/** Updates shares, media grants and friendships when other apps publish changes. */
@Injectable()
export class SharingEventHandlers {
  constructor(
    private readonly grants: MediaGrantRepository,
    private readonly shares: ShareRepository,
    private readonly monitor: MediaGrantMonitor,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /** Deletes shares, grants and friendships of an erased child. */
  @OnEvent('userctx.child.erased', { handler: 'mcdisk.sharing.erase-child' })
  async deleteChildShares({
    payload: { familyId, cid },
  }: EventOf<DomainEvents, 'userctx.child.erased'>): Promise<void> {
    await this.shares.removeChildContents(familyId, cid);
    await this.grants.deleteByChild(cid);
    await this.grants.deleteFriendshipsOfChild(cid);
  }

  /** Deletes the grants of a chat message that was recalled. */
  @OnEvent('gateway.media.grant-ended', { handler: 'mcdisk.sharing.end-media-grant' })
  async deleteMediaGrants({
    payload: { messageId, familyId },
  }: EventOf<DomainEvents, 'gateway.media.grant-ended'>): Promise<void> {
    await this.grants.deleteByMessage(messageId, familyId);
  }

  /**
   * Deletes shares whose grantee or creator is no longer a member. Shares of a dissolved family are deleted with its
   * cloud.
   */
  @OnEvent('userctx.family.changed', { handler: 'mcdisk.sharing.family' })
  async deleteSharesOfFormerMembers({ payload }: EventOf<DomainEvents, 'userctx.family.changed'>): Promise<void> {
    const { familyId, version, members, dissolved } = payload;
    if (dissolved) return;
    const principals = members.map(({ userId }): PrincipalKey => `user:${userId}`);
    await this.shares.deleteByFormerMembers(familyId, version, principals);
  }

  /** Deletes shares and grants of purged contents, which have not been readable since their deletion. */
  @OnEvent('mcdisk.content.purged', { handler: 'mcdisk.sharing.delete-purged' })
  async deleteSharesOfPurged({
    payload: { cloudID, contentIDs },
  }: EventOf<DomainEvents, 'mcdisk.content.purged'>): Promise<void> {
    await this.shares.removeContents(cloudID, contentIDs);
    await this.grants.deleteByContents(cloudID, contentIDs);
  }

  /** Stores friendships. Media that two children send each other are readable while the children are friends. */
  @OnEvent('userctx.friendship.changed', {
    handler: 'mcdisk.sharing.friendships',
    projection: {
      name: PROJECTION.FRIENDSHIPS,
      findVersions: (self: SharingEventHandlers, friendshipIds) => self.grants.findFriendshipVersions(friendshipIds),
    },
  })
  async projectFriendship({ payload }: EventOf<DomainEvents, 'userctx.friendship.changed'>): Promise<void> {
    await this.grants.upsertFriendshipIfNewer(payload);
  }

  /**
   * Stores the grants of a chat message between children who are friends. Each grant allows the recipient's watch to
   * read one content of the message.
   */
  @OnEvent('gateway.media.granted', { handler: 'mcdisk.sharing.store-media-grant' })
  async storeMediaGrants({ payload, time }: EventOf<DomainEvents, 'gateway.media.granted'>): Promise<void> {
    const contentIDs = payload.contentIDs.filter(isUuid);
    await this.grants.insert({ ...payload, contentIDs }, time);
    this.unitOfWork.afterCommit(() => this.monitor.recordGrants(contentIDs));
  }
}
