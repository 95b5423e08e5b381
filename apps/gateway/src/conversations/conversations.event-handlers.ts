import { Injectable } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { OnEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { PROJECTION } from '../infrastructure/gateway-infrastructure.js';
import { CloudContentRepository } from './media/cloud-content.repository.js';
import { ConversationMembershipService } from './membership/conversation-membership.service.js';

/** Name of the handler that projects the files of family clouds. */
export const CONTENTS_HANDLER = 'gateway.conversations.project-contents';

type ContentEvent = (typeof CONTENT_EVENTS)[number];

const CONTENT_EVENTS = [
  'mcdisk.content.added',
  'mcdisk.content.recycled',
  'mcdisk.content.restored',
  'mcdisk.content.purged',
] as const;

/** Updates conversations and the files that can be sent when other apps publish changes. */
@Injectable()
export class ConversationsEventHandlers {
  constructor(
    private readonly contents: CloudContentRepository,
    private readonly conversations: ConversationMembershipService,
  ) {}

  /**
   * Stores which files of family clouds can be sent. One handler processes all file events, so that the events of a
   * file stay in order. The events contain no complete state of an object, so `CloudContentComparisonService` repairs
   * the projection.
   */
  @OnEvent(CONTENT_EVENTS, {
    handler: CONTENTS_HANDLER,
    projection: {
      name: PROJECTION.CONTENTS,
      findVersions: () => Promise.resolve(new Map()),
    },
  })
  async projectCloudContents({ name, payload }: EventOf<DomainEvents, ContentEvent>): Promise<void> {
    const { cloudID, contentIDs } = payload;
    const isAvailable = name === 'mcdisk.content.added' || name === 'mcdisk.content.restored';
    if (isAvailable) await this.contents.add(cloudID, contentIDs);
    else await this.contents.remove(cloudID, contentIDs);
  }

  /** Erases all messages that an erased child sent, or that were sent only to the child. */
  @OnEvent('userctx.child.erased', { handler: 'gateway.conversations.erase-child' })
  async eraseChildConversations({ payload }: EventOf<DomainEvents, 'userctx.child.erased'>): Promise<void> {
    await this.conversations.eraseMember(`child:${payload.cid}`);
  }

  /** Updates the conversations within a family when the family changes. */
  @OnEvent('userctx.family.changed', {
    handler: 'gateway.conversations.sync-family',
    projection: {
      name: PROJECTION.FAMILY_CONVERSATIONS,
      findVersions: (self: ConversationsEventHandlers, ids) => self.conversations.findVersions('family', ids),
    },
  })
  async syncFamilyConversations({ id, time, payload }: EventOf<DomainEvents, 'userctx.family.changed'>): Promise<void> {
    await this.conversations.applyFamilySnapshot(payload, { id, time });
  }

  /** Opens or closes the conversation of two friends when their friendship changes. */
  @OnEvent('userctx.friendship.changed', {
    handler: 'gateway.conversations.sync-friendship',
    projection: {
      name: PROJECTION.FRIEND_CONVERSATIONS,
      findVersions: (self: ConversationsEventHandlers, ids) => self.conversations.findVersions('friendship', ids),
    },
  })
  async syncFriendConversation({
    id,
    time,
    payload,
  }: EventOf<DomainEvents, 'userctx.friendship.changed'>): Promise<void> {
    await this.conversations.applyFriendship(payload, { id, time });
  }
}
