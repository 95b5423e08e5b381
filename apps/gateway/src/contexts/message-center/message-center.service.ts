import { Injectable } from '@nestjs/common';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/envelope';
import { CENTER_TYPES } from '@family-watch/domain/messages/contracts/message-center';
import type { MessageCenterChangePayload } from '@family-watch/domain/messages/contracts/message-center';
import { choiceFor, FULL_SUBSCRIPTION } from '@family-watch/domain/messages/contracts/subscription';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import { recipientsAmongMembers } from '../../protocol/delivery-access.js';
import { messageIdOf } from '../../protocol/message-id.js';
import { KnownFamilies } from '../families/known-families.service.js';
import { entriesFor } from '../mailbox/mailbox-entry.js';
import type { MailboxEntry } from '../mailbox/mailbox-entry.js';
import { MailboxService } from '../mailbox/mailbox.service.js';
import type { CenterEntry, CenterNews } from './center-news.js';
import { CenterMessageRepository } from './center-message.repository.js';
import { CenterReaderRepository } from './center-reader.repository.js';
import { UrgentAlerts } from './urgent-alerts.service.js';

/** The one way into the message centre: one message per person concerned, and a notice to their devices. */
@Injectable()
export class MessageCenter {
  /** By the manager of the open unit, which is another object in each unit and each repetition of it. */
  private readonly told = new WeakMap<object, CenterEntry[]>();

  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly families: KnownFamilies,
    private readonly readers: CenterReaderRepository,
    private readonly messages: CenterMessageRepository,
    private readonly alerts: UrgentAlerts,
    private readonly mailboxes: MailboxService,
  ) {}

  /**
   * Tells news with the open unit of work. They are stored at its end, with all that was told in it: the people are
   * locked in one go and in one order, so that units cannot wait in a circle.
   * @throws Error for a family that was not heard of yet; the event is tried again once it was.
   */
  async tell(news: CenterNews): Promise<void> {
    const { source, userIds, ...rest } = news;
    const messageId = messageIdOf(`center:${source}:${news.type}`);
    const entries = (userIds ?? (await this.audienceOf(news))).map((userId) => ({ ...rest, userId, messageId }));
    if (entries.length === 0) return;
    const unit = this.unitOfWork.manager;
    const known = this.told.get(unit);
    if (known) {
      known.push(...entries);
      return;
    }
    this.told.set(unit, entries);
    this.mailboxes.postAtEnd(() => this.store(entries));
  }

  private async audienceOf({ familyId, cid, audience }: CenterNews): Promise<string[]> {
    if (familyId === null) throw new Error('News of no family must name whom they are for');
    const family = await this.families.get(familyId);
    return recipientsAmongMembers({ familyId, cid, audience }, family).map((key) => key.slice('user:'.length));
  }

  /** Stores what is wanted and not there yet; returns the notices about it. */
  private async store(told: readonly CenterEntry[]): Promise<MailboxEntry[]> {
    const subscriptions = await this.readers.lock(told.map(({ userId }) => userId));
    const wanted = told.filter(({ userId, type }) => {
      const subscription = subscriptions.get(userId) ?? FULL_SUBSCRIPTION;
      return choiceFor(subscription, CENTER_TYPES[type].category).enabled;
    });
    const fresh = await this.messages.insert(wanted.filter(({ version }) => version === undefined));
    const renewed = await this.messages.renew(newestOf(wanted.filter(({ version }) => version !== undefined)));
    const stored = [...fresh, ...renewed];
    if (stored.length === 0) return [];
    const unread = await this.messages.countUnread(stored.map(({ userId }) => userId));
    const notices = stored.toReversed().map((entry) => {
      const count = unread.get(entry.userId) ?? 0;
      if (entry.version === undefined) unread.set(entry.userId, count - 1);
      return { entry, notice: noticeOf(entry, count) };
    });
    await this.alerts.watch(notices);
    return notices.toReversed().map(({ notice }) => notice);
  }
}

/** Of several versions in one unit only the last one is stored and told. */
function newestOf(entries: readonly CenterEntry[]): CenterEntry[] {
  return [...new Map(entries.map((entry) => [`${entry.userId} ${entry.messageId}`, entry])).values()];
}

/** The later of several messages in one unit counts the earlier ones. */
function noticeOf(entry: CenterEntry, unread: number): MailboxEntry {
  const { familyId, cid, did, audience, time, messageId, type, userId, version } = entry;
  const payload: MessageCenterChangePayload = { ...CENTER_TYPES[type], messageId, unread };
  const kind = 'MessageCenterChangeNoticeMessage';
  const message = { familyId, cid, did, audience, time, kind, payload, from: SYSTEM_SENDER } as const;
  const source = version === undefined ? `center:${messageId}` : `center:${messageId}:${version}`;
  const [notice] = entriesFor([`user:${userId}`], { ...message, source });
  // Whoever was away gets the newest version only.
  return { ...(notice as MailboxEntry), ...(version === undefined ? {} : { replaceKey: `${kind}:${messageId}` }) };
}
