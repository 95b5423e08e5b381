import { Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import { validationError, ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/message-kinds';
import {
  CENTER_MESSAGE_TYPES,
  CENTER_MESSAGE_RETENTION_MS,
  MAX_UNREAD_COUNT,
  type MessageCenterChangePayload,
} from '@family-watch/domain/messages/contracts/message-center';
import { categoryPreference, DEFAULT_SUBSCRIPTION } from '@family-watch/domain/messages/contracts/subscription';
import type {
  CenterMessageDto,
  CenterPageDto,
  CenterUnreadDto,
  DeleteCenterMessagesDto,
  ListCenterMessagesDto,
  ReadCenterMessagesDto,
} from '@family-watch/domain/messages/dto/message-center.dto';
import type { CenterMessageEntity } from '@family-watch/domain/messages/entities/center-message.entities';
import { decodeTimeCursor, toPage } from '@family-watch/platform/database/page-cursor';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { GatewayChildReads, GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { deriveMessageId, toMailboxEntries, type MailboxEntry } from '../../mailbox/mailbox-entry.js';
import { MailboxService } from '../../mailbox/mailbox.service.js';
import { filterRecipients, mayReceive } from '../../projections/delivery-access.js';
import { FamilyLookupService } from '../../projections/family-lookup.service.js';
import {
  CenterMessageRepository,
  type CenterMessageEntry,
  type CenterMessageDraft,
} from './center-message.repository.js';
import { UrgentAlertsService } from './urgent-alerts.service.js';

const HOUR_MS = 60 * 60 * 1_000;
const RETENTION_BATCH_SIZE = 2_000;

/**
 * Publishes center messages: stores one message per recipient and sends a notice to the recipient's devices. Lists,
 * marks as read and deletes the caller's own messages. All center messages are published by this service.
 */
@Injectable()
export class MessageCenterService {
  /**
   * Entries to store before the commit, by the entity manager of their transaction. Each transaction and each retry has
   * a separate entity manager.
   */
  private readonly pendingEntries = new WeakMap<object, CenterMessageEntry[]>();

  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly families: FamilyLookupService,
    private readonly messages: CenterMessageRepository,
    private readonly alerts: UrgentAlertsService,
    private readonly mailboxes: MailboxService,
    private readonly childReads: GatewayChildReads,
  ) {}

  /**
   * Publishes a message in the current transaction. All messages of a transaction are stored just before it commits.
   * The recipients are locked in one statement and in a fixed order, so concurrent transactions cannot deadlock.
   * @throws Error when the snapshot of the family has not been received yet; the event is then retried
   */
  async publish(draft: CenterMessageDraft): Promise<void> {
    const { source, userIds, ...rest } = draft;
    const messageId = deriveMessageId(`center:${source}:${draft.type}`);
    const entries = (userIds ?? (await this.findRecipients(draft))).map((userId) => ({ ...rest, userId, messageId }));
    if (entries.length === 0) return;
    const transaction = this.unitOfWork.manager;
    const pendingEntries = this.pendingEntries.get(transaction);
    if (pendingEntries) {
      pendingEntries.push(...entries);
      return;
    }
    this.pendingEntries.set(transaction, entries);
    this.mailboxes.enqueueBeforeCommit(() => this.store(entries));
  }

  /**
   * @throws ServiceError VALIDATION_FAILED for an invalid cursor
   * @throws ServiceError FAMILY_NOT_READY while the projection of a family with listed messages may be outdated
   */
  async list(userId: string, { category, cursor, limit }: ListCenterMessagesDto): Promise<CenterPageDto> {
    const size = limit ?? DEFAULT_PAGE_LIMIT;
    const found = await this.messages.list(userId, category ?? null, decodeTimeCursor(cursor), size + 1);
    const { items, nextCursor } = toPage(found, size, ({ time, messageId }) => [time, messageId]);
    const visible = await this.filterVisible(userId, items);
    for (const { cid, category: kind } of visible)
      if (cid !== null && kind === 'FENCE')
        this.childReads.recordCaller({ type: 'user', id: userId }, cid, 'FENCE_EVENTS');
    return { items: visible.map(toDto), nextCursor, ...(await this.countUnread(userId)) };
  }

  /**
   * @throws ServiceError MESSAGE_NOT_FOUND when the user has none of the messages
   * @throws ServiceError VALIDATION_FAILED unless exactly one of `messageIds` and `through` is given
   */
  async markRead(userId: string, { messageIds, through }: ReadCenterMessagesDto): Promise<CenterUnreadDto> {
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
  @OnJob('gateway.notifications.delete-expired-messages', { intervalMs: HOUR_MS })
  async deleteExpired(now: number): Promise<void> {
    const before = now - CENTER_MESSAGE_RETENTION_MS;
    while ((await this.messages.prune(before, RETENTION_BATCH_SIZE)) === RETENTION_BATCH_SIZE);
  }

  private changeMessages(userId: string, change: () => Promise<boolean>): Promise<CenterUnreadDto> {
    return this.unitOfWork.run(async () => {
      await this.messages.lockRecipients([userId]);
      if (!(await change())) throw new ServiceError('MESSAGE_NOT_FOUND');
      return this.countUnread(userId);
    });
  }

  private async countUnread(userId: string): Promise<CenterUnreadDto> {
    return { unread: (await this.messages.countUnread([userId], MAX_UNREAD_COUNT)).get(userId) ?? 0 };
  }

  /**
   * Omits messages that the user may no longer see, for example stored messages of a family that the user has just
   * left. Reads the families from the database, because the cursor passes over an omitted message.
   */
  private async filterVisible(userId: string, records: readonly CenterMessageEntity[]): Promise<CenterMessageEntity[]> {
    const ids = new Set(records.flatMap(({ familyId }) => familyId ?? []));
    const families = new Map(await Promise.all([...ids].map(async (id) => [id, await this.families.get(id)] as const)));
    return records.filter((record) => mayReceive(`user:${userId}`, record, families.get(record.familyId ?? '')));
  }

  private async findRecipients({ familyId, cid, audience }: CenterMessageDraft): Promise<string[]> {
    if (familyId === null) throw new Error('A center message without a family must name its recipients');
    const family = await this.families.get(familyId);
    return filterRecipients({ familyId, cid, audience }, family).map((key) => key.slice('user:'.length));
  }

  /** Stores new messages of the categories that their recipients have enabled; returns the notices about them. */
  private async store(entries: readonly CenterMessageEntry[]): Promise<MailboxEntry[]> {
    const subscriptions = await this.messages.lockRecipients(entries.map(({ userId }) => userId));
    const enabled = entries.filter(({ userId, type }) => {
      const subscription = subscriptions.get(userId) ?? DEFAULT_SUBSCRIPTION;
      const { category, isMandatory } = CENTER_MESSAGE_TYPES[type];
      return isMandatory ?? categoryPreference(subscription, category).enabled;
    });
    const inserted = await this.messages.insert(enabled.filter(({ version }) => version === undefined));
    const versioned = enabled.filter(({ version }) => version !== undefined);
    const upserted = await this.messages.upsertIfNewer(latestVersions(versioned));
    const stored = [...inserted, ...upserted];
    if (stored.length === 0) return [];
    // The count of a message excludes the later ones of this transaction, so it starts above the highest count.
    const limit = MAX_UNREAD_COUNT + stored.length;
    const unread = await this.messages.countUnread(
      stored.map(({ userId }) => userId),
      limit,
    );
    const notices = stored.toReversed().map((entry) => {
      const count = unread.get(entry.userId) ?? 0;
      if (entry.version === undefined) unread.set(entry.userId, count - 1);
      return { entry, notice: toNotice(entry, Math.min(count, MAX_UNREAD_COUNT)) };
    });
    await this.alerts.storeAlerts(notices);
    return notices.toReversed().map(({ notice }) => notice);
  }
}

/** Keeps only the last version of each message: a transaction may publish several versions of one message. */
function latestVersions(entries: readonly CenterMessageEntry[]): CenterMessageEntry[] {
  return [...new Map(entries.map((entry) => [`${entry.userId} ${entry.messageId}`, entry])).values()];
}

/** @param unread the recipient's unread count including this message and earlier messages of the same transaction */
function toNotice(entry: CenterMessageEntry, unread: number): MailboxEntry {
  const { familyId, cid, did, audience, time, messageId, type, userId, version } = entry;
  const { category, severity } = CENTER_MESSAGE_TYPES[type];
  const payload: MessageCenterChangePayload = { category, severity, messageId, unread };
  const kind = 'MessageCenterChangeNoticeMessage';
  const message = { familyId, cid, did, audience, time, kind, payload, from: SYSTEM_SENDER } as const;
  const source = version === undefined ? `center:${messageId}` : `center:${messageId}:${version}`;
  const [notice] = toMailboxEntries([`user:${userId}`], { ...message, source });
  // A device that was offline receives only the newest version of a message.
  return { ...(notice as MailboxEntry), ...(version === undefined ? {} : { replaceKey: `${kind}:${messageId}` }) };
}

function toDto({ userId: _userId, audience: _audience, ...message }: CenterMessageEntity): CenterMessageDto {
  return message;
}
