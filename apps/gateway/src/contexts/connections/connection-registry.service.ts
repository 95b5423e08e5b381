import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { SignalSubscription } from '@family-watch/event-bus/signals';
import { FamilyDirectory } from '../families/family-directory.service.js';
import { MailboxReader } from '../mailbox/mailbox-reader.service.js';
import { WakeUps } from '../mailbox/wake-ups.js';
import type { Growth, LatestValue, Wake } from '../mailbox/wake-ups.js';
import type { ClientSession } from './client-session.js';

interface HeldPrincipal {
  readonly sessions: Set<ClientSession>;
  readonly subscription: SignalSubscription;
}

/** The clients connected to this node, by principal. */
@Injectable()
export class ConnectionRegistry {
  private readonly held = new Map<PrincipalKey, HeldPrincipal>();

  constructor(
    private readonly wakeUps: WakeUps,
    private readonly families: FamilyDirectory,
    private readonly mailboxes: MailboxReader,
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
  holds(principal: PrincipalKey): boolean {
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

  wake(principal: PrincipalKey, head: number): void {
    for (const { connection } of this.held.get(principal)?.sessions ?? []) connection.wake(head);
  }

  /** Hands a newest value to one client, if it may see it; asked again when it leaves. */
  offer({ connection }: ClientSession, { key, subject, message }: LatestValue): void {
    const isAdmitted = () => this.families.isAdmitted(connection.key, subject);
    if (isAdmitted()) connection.offerLatest(key, message, isAdmitted);
  }

  private onWake(principal: PrincipalKey, wake: Wake): void {
    for (const session of this.held.get(principal)?.sessions ?? []) {
      if ('growth' in wake) this.grow(session, wake.growth);
      else this.offer(session, wake.latest);
    }
  }

  /** What was just stored need not be read again by a connection that has everything before it. */
  private grow({ connection }: ClientSession, { after, head, messages }: Growth): void {
    const isNext = messages !== undefined && connection.isAt(after);
    const range = isNext ? this.mailboxes.readGrowth(connection.reader, head, messages) : undefined;
    if (range) connection.take(range);
    else connection.wake(head);
  }
}
