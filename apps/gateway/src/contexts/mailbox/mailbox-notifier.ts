import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { MessageEnvelope } from '@family-watch/domain/messages/contracts/envelope';
import type { PubSub, PubSubSubscription } from '@family-watch/event-bus/pub-sub';
import { PEER_PUB_SUB } from '../../infrastructure/gateway.tokens.js';
import type { DeliverySubject } from '../../protocol/delivery-access.js';
import type { MailboxAppend } from './mailbox-entry.js';

/** A newest value on its way to whoever is connected; the next one makes up for a lost one. */
export interface LatestValue {
  /** What it is the newest value of. */
  key: string;
  subject: DeliverySubject;
  message: MessageEnvelope;
}

/** What a commit has added to the mailbox; without `messages` they have to be read. */
export type AppendNotification = Omit<MailboxAppend, 'principal' | 'messages'> &
  Partial<Pick<MailboxAppend, 'messages'>>;

/** What the nodes that hold a principal are told: how its mailbox has grown, or a newest value. */
export type MailboxNotification = { growth: AppendNotification } | { latest: LatestValue };

type WakeListener = (wake: MailboxNotification) => void;

/** What travels between nodes: the node that it comes from has heard it already. */
type Signal = MailboxNotification & { node: string };

/** Longer stretches are read by the nodes that need them, instead of going to all that might. */
const MAX_SIGNALLED_BYTES = 4_096;

/**
 * Tells the nodes that hold a principal, at most once, after the commit. A connection that stands exactly where a
 * growth begins takes the messages out of it; any other, and whoever lost a wake-up, reads the mailbox: a lost one is
 * repaired by the next range or by the sweep of held principals.
 */
@Injectable()
export class MailboxNotifier {
  private readonly node = randomUUID();
  private readonly listeners = new Map<PrincipalKey, Set<WakeListener>>();

  constructor(@Inject(PEER_PUB_SUB) private readonly peers: PubSub) {}

  publishAppends(growths: readonly MailboxAppend[]): void {
    for (const { principal, ...growth } of growths) {
      this.tellHere(principal, { growth });
      this.tellOthers(principal, { growth: isLong(growth) ? withoutMessages(growth) : growth });
    }
  }

  publishLatest(recipients: readonly PrincipalKey[], latest: LatestValue): void {
    for (const recipient of recipients) {
      this.tellHere(recipient, { latest });
      this.tellOthers(recipient, { latest });
    }
  }

  listen(principal: PrincipalKey, listener: WakeListener): PubSubSubscription {
    const here = this.listeners.get(principal) ?? new Set();
    this.listeners.set(principal, here.add(listener));
    const subscription = this.peers.subscribe(subjectOf(principal), (data) => {
      const { node, ...wake } = data as Signal;
      if (node !== this.node) listener(wake);
    });
    return {
      close: () => {
        here.delete(listener);
        if (here.size === 0) this.listeners.delete(principal);
        subscription.close();
      },
    };
  }

  private tellHere(principal: PrincipalKey, wake: MailboxNotification): void {
    for (const listener of this.listeners.get(principal) ?? []) listener(wake);
  }

  private tellOthers(principal: PrincipalKey, wake: MailboxNotification): void {
    this.peers.publish(subjectOf(principal), { ...wake, node: this.node });
  }
}

function isLong({ messages }: Omit<MailboxAppend, 'principal'>): boolean {
  return messages.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_SIGNALLED_BYTES;
}

function withoutMessages({ after, head }: AppendNotification): AppendNotification {
  return { after, head };
}

/** Ids come from tokens and databases of our own, but a subject must never hold a separator. */
function subjectOf(principal: PrincipalKey): string {
  return `gateway.mailbox.${encodeURIComponent(principal).replace(/[.*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)}`;
}
