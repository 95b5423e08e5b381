import { Injectable } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { ChatPayloads, ChatSent } from '@family-watch/domain/messages/contracts/chat';
import { MediaGate } from '../media/media-gate.service.js';
import { mediaOf } from '../media/media-of.js';
import type { MediaKind } from '../media/media-of.js';
import { MembersService } from '../membership/members.service.js';
import { ChatSender } from './chat-sender.service.js';

/** What is said with contents of the family cloud, which have to be looked up first. */
@Injectable()
export class MediaSender {
  constructor(
    private readonly members: MembersService,
    private readonly gate: MediaGate,
    private readonly sender: ChatSender,
  ) {}

  /**
   * As {@link ChatSender.send}.
   * @throws ServiceError CONVERSATION_NOT_FOUND; CONTENT_NOT_FOUND for what is not in the sender's own family cloud
   */
  async send<Kind extends MediaKind>(sender: Principal, kind: Kind, payload: ChatPayloads[Kind]): Promise<ChatSent> {
    const { familyId } = await this.members.membershipOf(sender, payload.conversationId);
    await this.gate.assertOwn(familyId, mediaOf(kind, payload));
    return this.sender.send(sender, kind, payload);
  }
}
