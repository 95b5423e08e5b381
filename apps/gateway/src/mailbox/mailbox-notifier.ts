// Step 9 of docs/from-change-to-socket.md: nodes with connections of the recipient are notified.
import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { DeliverySubject } from '@family-watch/domain/messages/contracts/message-center';
import type { MessageEnvelope } from '@family-watch/domain/messages/contracts/message-kinds';
import type { PubSub, PubSubSubscription } from '@family-watch/event-bus/pub-sub';
import { currentTraceparent } from '@family-watch/platform/observability/tracing';
import { PEER_PUB_SUB } from '../infrastructure/gateway-infrastructure.js';
import type { MailboxAppend } from './mailbox-entry.js';

/**
 * A value of which only the latest version matters, sent to connected recipients only. The next value makes up for a
 * lost value.
 */
export interface LatestValue {
  /** Identifies the value; a newer value with the same key replaces an older one. */
  key: string;
  subject: DeliverySubject;
  message: MessageEnvelope;
}

/**
 * The sequence numbers and messages that a commit has added to a mailbox. If `messages` is absent, the node reads the
 * messages from the mailbox.
 */
export type AppendNotification = Omit<MailboxAppend, 'principal' | 'messages'> &
  Partial<Pick<MailboxAppend, 'messages'>> & {
    /** W3C `traceparent` of the work that stored the messages; absent unless this work is traced. */
    traceparent?: string;
  };

/** Notification to the nodes that have connections of a principal: an append to its mailbox, or a latest value. */
export type MailboxNotification = { append: AppendNotification } | { latest: LatestValue };

type NotificationListener = (notification: MailboxNotification) => void;

/** Pub/sub message between nodes; `node` is the sender, which has already notified its own listeners. */
type PeerMessage = MailboxNotification & { node: string };

/** Payload bytes above which messages are not published; the nodes that need them read the mailbox. */
const MAX_PUBLISHED_BYTES = 4_096;

/**
 * Notifies the nodes that have connections of a principal, at most once, after the commit. A connection that has
 * already queued all earlier messages takes the messages from the notification; any other connection reads the mailbox.
 * After a lost notification, the next append or the job `gateway.connections.sweep-mailboxes` finds the messages.
 */
@Injectable()
export class MailboxNotifier {
  private readonly node = randomUUID();
  private readonly listeners = new Map<PrincipalKey, Set<NotificationListener>>();

  constructor(@Inject(PEER_PUB_SUB) private readonly pubSub: PubSub) {}

  publishAppends(appends: readonly MailboxAppend[]): void {
    const traceparent = currentTraceparent();
    for (const { principal, ...append } of appends) {
      const traced = traceparent === undefined ? append : { ...append, traceparent };
      this.notifyLocal(principal, { append: traced });
      this.notifyPeers(principal, { append: exceedsPublishLimit(traced) ? withoutMessages(traced) : traced });
    }
  }

  publishLatest(recipients: readonly PrincipalKey[], latest: LatestValue): void {
    for (const recipient of recipients) {
      this.notifyLocal(recipient, { latest });
      this.notifyPeers(recipient, { latest });
    }
  }

  listen(principal: PrincipalKey, listener: NotificationListener): PubSubSubscription {
    const localListeners = this.listeners.get(principal) ?? new Set();
    this.listeners.set(principal, localListeners.add(listener));
    const subscription = this.pubSub.subscribe(subjectOf(principal), (data) => {
      const { node, ...notification } = data as PeerMessage;
      if (node !== this.node) listener(notification);
    });
    return {
      close: () => {
        localListeners.delete(listener);
        if (localListeners.size === 0) this.listeners.delete(principal);
        subscription.close();
      },
    };
  }

  private notifyLocal(principal: PrincipalKey, notification: MailboxNotification): void {
    for (const listener of this.listeners.get(principal) ?? []) listener(notification);
  }

  private notifyPeers(principal: PrincipalKey, notification: MailboxNotification): void {
    this.pubSub.publish(subjectOf(principal), { ...notification, node: this.node });
  }
}

function exceedsPublishLimit({ messages }: Omit<MailboxAppend, 'principal'>): boolean {
  return messages.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_PUBLISHED_BYTES;
}

function withoutMessages({ messages: _, ...range }: AppendNotification): AppendNotification {
  return range;
}

/**
 * Returns the pub/sub subject of a principal. Separators and wildcards in the id are escaped, although ids come only
 * from tokens and the service's databases.
 */
function subjectOf(principal: PrincipalKey): string {
  return `gateway.mailbox.${encodeURIComponent(principal).replace(/[.*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)}`;
}
