import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type Type } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { ChatKind, ChatMessagePayload, ChatSendResult } from '@family-watch/domain/messages/contracts/chat';
import {
  ChatEmojiDto,
  ChatImageDto,
  ChatTextDto,
  ChatVideoDto,
  ChatVoiceDto,
  type MessageSentDto,
  type SendMessageDto,
} from '@family-watch/domain/messages/dto/chat.dto';
import { Semaphore } from '@family-watch/platform/concurrency/semaphore';
import { validateAs } from '@family-watch/platform/http/request-validation.pipe';
import { GatewayProjections, PROJECTION, GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { CloudContentRepository } from '../media/cloud-content.repository.js';
import { isMediaKind, mediaContentIds } from '../media/media-contents.js';
import { ConversationMembershipService } from '../membership/conversation-membership.service.js';
import { ChatSenderService } from './chat-sender.service.js';

const PAYLOAD_CLASSES: Readonly<Record<ChatKind, Type<ChatMessagePayload>>> = {
  ChatTextMessage: ChatTextDto,
  ChatEmojiMessage: ChatEmojiDto,
  ChatVoiceMessage: ChatVoiceDto,
  ChatImageMessage: ChatImageDto,
  ChatVideoMessage: ChatVideoDto,
};

/**
 * Milliseconds before each further check for an unknown file: a client may send the file's id before mcdisk's event
 * about the file has arrived.
 */
const UNKNOWN_FILE_RETRY_DELAYS_MS = [50, 150, 300, 500];
/** How many requests wait concurrently for events about unknown files, and how many of one family. */
const UNKNOWN_FILE_LIMITS = { request: { running: 256, perOwner: { running: 16, waiting: 0 } } };

/** Sends the chat messages of clients, after checking the ownership of the files in them. */
@Injectable()
export class ChatService {
  private readonly unknownFileRequests = new Semaphore(UNKNOWN_FILE_LIMITS);

  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly memberships: ConversationMembershipService,
    private readonly contents: CloudContentRepository,
    private readonly projections: GatewayProjections,
    private readonly sender: ChatSenderService,
  ) {}

  /**
   * Sends a message like {@link ChatSenderService.send}, and throws the same errors as that method.
   * @throws ServiceError CONTENT_NOT_FOUND for a file that is not in the sender's own family cloud
   */
  send(sender: Principal, kind: ChatKind, payload: ChatMessagePayload): Promise<ChatSendResult> {
    return isMediaKind(kind) ? this.sendMedia(sender, kind, payload) : this.sender.send(sender, kind, payload);
  }

  /**
   * Sends a message that was submitted by REST, with the same effect as the socket event named `kind`.
   * @throws ServiceError VALIDATION_FAILED for a payload that the socket event would reject
   */
  validateAndSend(caller: Principal, { kind, ...payload }: SendMessageDto): Promise<MessageSentDto> {
    return this.send(caller, kind, validateAs(PAYLOAD_CLASSES[kind], payload));
  }

  private async sendMedia(sender: Principal, kind: ChatKind, payload: ChatMessagePayload): Promise<ChatSendResult> {
    const { familyId } = await this.memberships.membershipOf(sender, payload.conversationId);
    await this.assertOwnedBy(familyId, mediaContentIds(kind, payload));
    return this.sender.send(sender, kind, payload);
  }

  /**
   * Checks that the files are in the family's cloud. Waits up to one second for an unknown file, but not inside a
   * transaction, which occupies a database connection.
   * @throws ServiceError CONTENT_NOT_FOUND for a file that is unknown or of another family
   * @throws ServiceError OVERLOADED, and FAMILY_NOT_READY while the projection of the family's files is unknown
   */
  private async assertOwnedBy(familyId: string, contentIds: readonly string[]): Promise<void> {
    this.projections.assertKnown(PROJECTION.CONTENTS, familyId);
    const ids = [...new Set(contentIds)];
    if (await this.contents.containsAll(familyId, ids)) return;
    if (this.unitOfWork.isInTransaction) throw new ServiceError('CONTENT_NOT_FOUND');
    const release = this.unknownFileRequests.tryAcquire('request', familyId);
    if (!release) throw new ServiceError('OVERLOADED', { retryAfter: 1 });
    try {
      for (const pause of UNKNOWN_FILE_RETRY_DELAYS_MS) {
        await sleep(pause);
        if (await this.contents.containsAll(familyId, ids)) return;
      }
    } finally {
      release();
    }
    throw new ServiceError('CONTENT_NOT_FOUND');
  }
}
