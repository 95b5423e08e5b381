import { Injectable } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { ChatPayloads, ChatSendResult } from '@family-watch/domain/messages/contracts/chat';
import { MediaOwnershipService } from '../media/media-ownership.service.js';
import { mediaContentIds } from '../media/media-contents.js';
import type { MediaKind } from '../media/media-contents.js';
import { ConversationMemberService } from '../membership/conversation-member.service.js';
import { ChatSenderService } from './chat-sender.service.js';

/** Sends chat messages with files of the family cloud, after checking the ownership of the files. */
@Injectable()
export class MediaSenderService {
  constructor(
    private readonly members: ConversationMemberService,
    private readonly ownership: MediaOwnershipService,
    private readonly sender: ChatSenderService,
  ) {}

  /**
   * Sends a message like {@link ChatSenderService.send}, and throws the same errors as that method.
   * @throws ServiceError CONVERSATION_NOT_FOUND
   * @throws ServiceError CONTENT_NOT_FOUND for a file that is not in the sender's own family cloud
   */
  async send<Kind extends MediaKind>(
    sender: Principal,
    kind: Kind,
    payload: ChatPayloads[Kind],
  ): Promise<ChatSendResult> {
    const { familyId } = await this.members.membershipOf(sender, payload.conversationId);
    await this.ownership.assertOwnedBy(familyId, mediaContentIds(kind, payload));
    return this.sender.send(sender, kind, payload);
  }
}
