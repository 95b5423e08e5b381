import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { PubSubSubscription } from '@family-watch/event-bus/pub-sub';
import { ConnectedFamiliesService } from '../families/connected-families.service.js';
import { MailboxReaderService } from '../mailbox/mailbox-reader.service.js';
import { MailboxNotifier } from '../mailbox/mailbox-notifier.js';
import type { AppendNotification, LatestValue, MailboxNotification } from '../mailbox/mailbox-notifier.js';
import type { ClientSession } from './client-session.js';

interface HeldPrincipal {
  readonly sessions: Set<ClientSession>;
  readonly subscription: PubSubSubscription;
}

/** The clients connected to this node, by principal. */
@Injectable()
export class ConnectionRegistryService {
  private readonly held = new Map<PrincipalKey, HeldPrincipal>();

  constructor(
    private readonly wakeUps: MailboxNotifier,
    private readonly families: ConnectedFamiliesService,
    private readonly mailboxes: MailboxReaderService,
  ) {}

  /** From now on the client hears of what reaches its mailbox. */
  add(session: ClientSession): void {
    const { key } = session.connection;
    const held = this.held.get(key);
    if (held) held.sessions.add(session);
    else {
      const subscription = this.wakeUps.listen(key, (wake) => this.onWake(key, wake));
      this.held.set(key, { sessions: new Set([session]), subscription });
    }
  }

  remove(session: ClientSession): void {
    const { key } = session.connection;
    const held = this.held.get(key);
    if (!held?.sessions.delete(session) || held.sessions.size > 0) return;
    held.subscription.close();
    this.held.delete(key);
  }

  /** Is a client of this principal connected here? */
  hasConnections(principal: PrincipalKey): boolean {
    return this.held.has(principal);
  }

  /** Principals with at least one client here. */
  principals(): PrincipalKey[] {
    return [...this.held.keys()];
  }

  sessionsOf(principal: PrincipalKey): ClientSession[] {
    return [...(this.held.get(principal)?.sessions ?? [])];
  }

  all(): ClientSession[] {
    return [...this.held.values()].flatMap(({ sessions }) => [...sessions]);
  }

  notifyHead(principal: PrincipalKey, head: number): void {
    for (const { connection } of this.held.get(principal)?.sessions ?? []) connection.notifyHead(head);
  }

  /** Hands a newest value to one client, if it may see it; asked again when it leaves. */
  offerLatest({ connection }: ClientSession, { key, subject, message }: LatestValue): void {
    const isAdmitted = () => this.families.isAllowedByCache(connection.key, subject);
    if (isAdmitted()) connection.offerLatest(key, message, isAdmitted);
  }

  private onWake(principal: PrincipalKey, wake: MailboxNotification): void {
    for (const session of this.held.get(principal)?.sessions ?? []) {
      if ('growth' in wake) this.grow(session, wake.growth);
      else this.offerLatest(session, wake.latest);
    }
  }

  /** What was just stored need not be read again by a connection that has everything before it. */
  private grow({ connection }: ClientSession, { after, head, messages }: AppendNotification): void {
    const isNext = messages !== undefined && connection.isCaughtUpTo(after);
    const range = isNext ? this.mailboxes.readAppend(connection.reader, head, messages) : undefined;
    if (range) connection.acceptRange(range);
    else connection.notifyHead(head);
  }
}
