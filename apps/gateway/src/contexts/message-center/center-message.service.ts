import { Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import { validationError, ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { CENTER_MESSAGE_RETENTION_MS } from '@family-watch/domain/messages/contracts/message-center';
import type {
  CenterMessageDto,
  CenterPageDto,
  CenterUnreadDto,
  DeleteCenterMessagesDto,
  ListCenterMessagesDto,
  ReadCenterMessagesDto,
} from '@family-watch/domain/messages/dto/message-center.dto';
import type { CenterMessageEntity } from '@family-watch/domain/messages/entities/center-message.entities';
import { decodeCursor, encodeCursor } from '@family-watch/platform/http/page-cursor';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { mayReceive } from '../projections/delivery-access.js';
import { ConnectedFamiliesService } from '../projections/connected-families.service.js';
import { CenterMessageRepository } from './center-message.repository.js';
import type { CenterMessageCursor } from './center-message.repository.js';
import { CenterRecipientRepository } from './center-recipient.repository.js';

const CURSOR_PATTERN = /^(\d{1,16})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

const HOUR_MS = 60 * 60 * 1_000;
const RETENTION_BATCH_SIZE = 2_000;

/** Lists, marks as read and deletes the caller's own center messages. */
@Injectable()
export class CenterMessageService {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly recipients: CenterRecipientRepository,
    private readonly messages: CenterMessageRepository,
    private readonly families: ConnectedFamiliesService,
  ) {}

  /** @throws ServiceError VALIDATION_FAILED for an invalid cursor */
  async list(userId: string, { category, cursor, limit }: ListCenterMessagesDto): Promise<CenterPageDto> {
    const size = limit ?? DEFAULT_PAGE_LIMIT;
    const found = await this.messages.list(userId, category ?? null, parseCursor(cursor), size + 1);
    const page = found.slice(0, size);
    const last = found.length > size ? page.at(-1) : undefined;
    return {
      items: (await this.filterVisible(userId, page)).map(toDto),
      nextCursor: last ? encodeCursor(last.time, last.messageId) : null,
      ...(await this.unread(userId)),
    };
  }

  /**
   * @throws ServiceError MESSAGE_NOT_FOUND when the user has none of the messages
   * @throws ServiceError VALIDATION_FAILED unless exactly one of `messageIds` and `through` is given
   */
  async read(userId: string, { messageIds, through }: ReadCenterMessagesDto): Promise<CenterUnreadDto> {
    if ((messageIds === undefined) === (through === undefined)) {
      throw validationError('messageIds', 'isEither', 'either messageIds or through is required, not both');
    }
    return this.changeMessages(userId, async () => {
      if (through !== undefined) return isUuid(through) && this.messages.markReadThrough(userId, through);
      return (await this.messages.markRead(userId, (messageIds ?? []).filter(isUuid))) > 0;
    });
  }

  /** @throws ServiceError MESSAGE_NOT_FOUND when the user has none of the messages */
  async delete(userId: string, { messageIds }: DeleteCenterMessagesDto): Promise<CenterUnreadDto> {
    return this.changeMessages(userId, async () => (await this.messages.delete(userId, messageIds.filter(isUuid))) > 0);
  }

  /** Deletes the center messages of all users whose retention period is over, in batches. */
  @OnJob('gateway.message-center.delete-expired', { intervalMs: HOUR_MS })
  async deleteExpired(now: number): Promise<void> {
    const before = now - CENTER_MESSAGE_RETENTION_MS;
    while ((await this.messages.prune(before, RETENTION_BATCH_SIZE)) === RETENTION_BATCH_SIZE);
  }

  private changeMessages(userId: string, work: () => Promise<boolean>): Promise<CenterUnreadDto> {
    return this.unitOfWork.run(async () => {
      await this.recipients.lock([userId]);
      if (!(await work())) throw new ServiceError('MESSAGE_NOT_FOUND');
      return this.unread(userId);
    });
  }

  private async unread(userId: string): Promise<CenterUnreadDto> {
    return { unread: (await this.messages.countUnread([userId])).get(userId) ?? 0 };
  }

  /**
   * Omits messages that the user may no longer see, for example stored messages of a family that the user has just
   * left.
   */
  private async filterVisible(userId: string, records: readonly CenterMessageEntity[]): Promise<CenterMessageEntity[]> {
    const ids = new Set(records.flatMap(({ familyId }) => familyId ?? []));
    const families = new Map(
      await Promise.all([...ids].map(async (id) => [id, await this.families.find(id)] as const)),
    );
    return records.filter((record) => mayReceive(`user:${userId}`, record, families.get(record.familyId ?? '')));
  }
}

function parseCursor(cursor: string | undefined): CenterMessageCursor | null {
  if (cursor === undefined) return null;
  const [time, messageId = ''] = decodeCursor(cursor, CURSOR_PATTERN);
  return { time: Number(time), messageId };
}

function toDto({ userId: _userId, audience: _audience, ...message }: CenterMessageEntity): CenterMessageDto {
  return message;
}
