import { Injectable } from '@nestjs/common';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/envelope';
import { CENTER_MESSAGE_TYPES } from '@family-watch/domain/messages/contracts/message-center';
import type { MessageCenterChangePayload } from '@family-watch/domain/messages/contracts/message-center';
import { categoryPreference, DEFAULT_SUBSCRIPTION } from '@family-watch/domain/messages/contracts/subscription';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import { filterRecipients } from '../../protocol/delivery-access.js';
import { deriveMessageId } from '../../protocol/message-id.js';
import { FamilyLookupService } from '../families/family-lookup.service.js';
import { toMailboxEntries } from '../mailbox/mailbox-entry.js';
import type { MailboxEntry } from '../mailbox/mailbox-entry.js';
import { MailboxService } from '../mailbox/mailbox.service.js';
import type { CenterMessageEntry, CenterMessageDraft } from './center-message-draft.js';
import { CenterMessageRepository } from './center-message.repository.js';
import { CenterRecipientRepository } from './center-recipient.repository.js';
import { UrgentAlertsService } from './urgent-alerts.service.js';

/** The one way into the message centre: one message per person concerned, and a notice to their devices. */
@Injectable()
export class MessageCenterService {
  /** By the manager of the open unit, which is another object in each unit and each repetition of it. */
  private readonly told = new WeakMap<object, CenterMessageEntry[]>();

  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly families: FamilyLookupService,
    private readonly readers: CenterRecipientRepository,
    private readonly messages: CenterMessageRepository,
    private readonly alerts: UrgentAlertsService,
    private readonly mailboxes: MailboxService,
  ) {}

  /**
   * Tells news with the open unit of work. They are stored at its end, with all that was told in it: the people are
   * locked in one go and in one order, so that units cannot wait in a circle.
   * @throws Error for a family that was not heard of yet; the event is tried again once it was.
   */
  async publish(news: CenterMessageDraft): Promise<void> {
    const { source, userIds, ...rest } = news;
    const messageId = deriveMessageId(`center:${source}:${news.type}`);
    const entries = (userIds ?? (await this.audienceOf(news))).map((userId) => ({ ...rest, userId, messageId }));
    if (entries.length === 0) return;
    const unit = this.unitOfWork.manager;
    const known = this.told.get(unit);
    if (known) {
      known.push(...entries);
      return;
    }
    this.told.set(unit, entries);
    this.mailboxes.enqueueBeforeCommit(() => this.store(entries));
  }

  private async audienceOf({ familyId, cid, audience }: CenterMessageDraft): Promise<string[]> {
    if (familyId === null) throw new Error('News of no family must name whom they are for');
    const family = await this.families.get(familyId);
    return filterRecipients({ familyId, cid, audience }, family).map((key) => key.slice('user:'.length));
  }

  /** Stores what is wanted and not there yet; returns the notices about it. */
  private async store(told: readonly CenterMessageEntry[]): Promise<MailboxEntry[]> {
    const subscriptions = await this.readers.lock(told.map(({ userId }) => userId));
    const wanted = told.filter(({ userId, type }) => {
      const subscription = subscriptions.get(userId) ?? DEFAULT_SUBSCRIPTION;
      return categoryPreference(subscription, CENTER_MESSAGE_TYPES[type].category).enabled;
    });
    const fresh = await this.messages.insert(wanted.filter(({ version }) => version === undefined));
    const renewed = await this.messages.upsertIfNewer(newestOf(wanted.filter(({ version }) => version !== undefined)));
    const stored = [...fresh, ...renewed];
    if (stored.length === 0) return [];
    const unread = await this.messages.countUnread(stored.map(({ userId }) => userId));
    const notices = stored.toReversed().map((entry) => {
      const count = unread.get(entry.userId) ?? 0;
      if (entry.version === undefined) unread.set(entry.userId, count - 1);
      return { entry, notice: noticeOf(entry, count) };
    });
    await this.alerts.track(notices);
    return notices.toReversed().map(({ notice }) => notice);
  }
}

/** Of several versions in one unit only the last one is stored and told. */
function newestOf(entries: readonly CenterMessageEntry[]): CenterMessageEntry[] {
  return [...new Map(entries.map((entry) => [`${entry.userId} ${entry.messageId}`, entry])).values()];
}

/** The later of several messages in one unit counts the earlier ones. */
function noticeOf(entry: CenterMessageEntry, unread: number): MailboxEntry {
  const { familyId, cid, did, audience, time, messageId, type, userId, version } = entry;
  const payload: MessageCenterChangePayload = { ...CENTER_MESSAGE_TYPES[type], messageId, unread };
  const kind = 'MessageCenterChangeNoticeMessage';
  const message = { familyId, cid, did, audience, time, kind, payload, from: SYSTEM_SENDER } as const;
  const source = version === undefined ? `center:${messageId}` : `center:${messageId}:${version}`;
  const [notice] = toMailboxEntries([`user:${userId}`], { ...message, source });
  // Whoever was away gets the newest version only.
  return { ...(notice as MailboxEntry), ...(version === undefined ? {} : { replaceKey: `${kind}:${messageId}` }) };
}
