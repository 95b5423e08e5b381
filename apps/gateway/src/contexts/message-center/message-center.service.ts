import { Injectable } from '@nestjs/common';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/message-kinds';
import { CENTER_MESSAGE_TYPES } from '@family-watch/domain/messages/contracts/message-center';
import type { MessageCenterChangePayload } from '@family-watch/domain/messages/contracts/message-center';
import { categoryPreference, DEFAULT_SUBSCRIPTION } from '@family-watch/domain/messages/contracts/subscription';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { filterRecipients } from '../projections/delivery-access.js';
import { deriveMessageId, toMailboxEntries } from '../mailbox/mailbox-entry.js';
import { FamilyLookupService } from '../projections/family-lookup.service.js';
import type { MailboxEntry } from '../mailbox/mailbox-entry.js';
import { MailboxService } from '../mailbox/mailbox.service.js';
import type { CenterMessageEntry, CenterMessageDraft } from './center-message-draft.js';
import { CenterMessageRepository } from './center-message.repository.js';
import { CenterRecipientRepository } from './center-recipient.repository.js';
import { UrgentAlertsService } from './urgent-alerts.service.js';

/**
 * Stores one center message per recipient and sends a notice to the recipient's devices. All center messages are
 * published by this service.
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
    private readonly recipients: CenterRecipientRepository,
    private readonly messages: CenterMessageRepository,
    private readonly alerts: UrgentAlertsService,
    private readonly mailboxes: MailboxService,
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

  private async findRecipients({ familyId, cid, audience }: CenterMessageDraft): Promise<string[]> {
    if (familyId === null) throw new Error('A center message without a family must name its recipients');
    const family = await this.families.get(familyId);
    return filterRecipients({ familyId, cid, audience }, family).map((key) => key.slice('user:'.length));
  }

  /** Stores new messages of the categories that their recipients have enabled; returns the notices about them. */
  private async store(entries: readonly CenterMessageEntry[]): Promise<MailboxEntry[]> {
    const subscriptions = await this.recipients.lock(entries.map(({ userId }) => userId));
    const enabled = entries.filter(({ userId, type }) => {
      const subscription = subscriptions.get(userId) ?? DEFAULT_SUBSCRIPTION;
      return categoryPreference(subscription, CENTER_MESSAGE_TYPES[type].category).enabled;
    });
    const inserted = await this.messages.insert(enabled.filter(({ version }) => version === undefined));
    const versioned = enabled.filter(({ version }) => version !== undefined);
    const upserted = await this.messages.upsertIfNewer(latestVersions(versioned));
    const stored = [...inserted, ...upserted];
    if (stored.length === 0) return [];
    const unread = await this.messages.countUnread(stored.map(({ userId }) => userId));
    const notices = stored.toReversed().map((entry) => {
      const count = unread.get(entry.userId) ?? 0;
      if (entry.version === undefined) unread.set(entry.userId, count - 1);
      return { entry, notice: toNotice(entry, count) };
    });
    await this.alerts.storeAlerts(notices);
    return notices.toReversed().map(({ notice }) => notice);
  }
}

/** Keeps only the last version of a message when a transaction publishes several. */
function latestVersions(entries: readonly CenterMessageEntry[]): CenterMessageEntry[] {
  return [...new Map(entries.map((entry) => [`${entry.userId} ${entry.messageId}`, entry])).values()];
}

/** @param unread the recipient's unread count including this message and earlier messages of the same transaction */
function toNotice(entry: CenterMessageEntry, unread: number): MailboxEntry {
  const { familyId, cid, did, audience, time, messageId, type, userId, version } = entry;
  const payload: MessageCenterChangePayload = { ...CENTER_MESSAGE_TYPES[type], messageId, unread };
  const kind = 'MessageCenterChangeNoticeMessage';
  const message = { familyId, cid, did, audience, time, kind, payload, from: SYSTEM_SENDER } as const;
  const source = version === undefined ? `center:${messageId}` : `center:${messageId}:${version}`;
  const [notice] = toMailboxEntries([`user:${userId}`], { ...message, source });
  // A device that was offline receives only the newest version of a message.
  return { ...(notice as MailboxEntry), ...(version === undefined ? {} : { replaceKey: `${kind}:${messageId}` }) };
}
