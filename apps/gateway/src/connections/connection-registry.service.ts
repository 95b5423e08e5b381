// Step 10 of docs/from-change-to-socket.md: the messages go to the sockets.
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import {
  parsePrincipalKey,
  type PrincipalKey,
  type PrincipalType,
} from '@family-watch/domain/kernel/contracts/principal';
import type { PubSub, PubSubSubscription } from '@family-watch/event-bus/pub-sub';
import { JobScheduler } from '@family-watch/platform/jobs/job-scheduler';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { OnScrape } from '@family-watch/platform/jobs/on-scrape.decorator';
import { startSpan } from '@family-watch/platform/observability/tracing';
import { GatewayChildReads, PEER_PUB_SUB } from '../infrastructure/gateway-infrastructure.js';
import { LatestLocationsService } from '../mailbox/latest-locations/latest-locations.service.js';
import { MailboxReaderService } from '../mailbox/mailbox-reader.service.js';
import {
  MailboxNotifier,
  type AppendNotification,
  type LatestValue,
  type MailboxNotification,
} from '../mailbox/mailbox-notifier.js';
import type { ClientSession } from './client-session.js';
import { SOCKET_CONNECTIONS, SOCKET_UNSENT_MESSAGES } from './socket-metrics.js';

const SWEEP_JOB = 'gateway.connections.sweep-mailboxes';
const SWEEP_BATCH_SIZE = 2_000;

/**
 * Maximum number of connections of one principal to one node, including stale connections of clients on poor networks.
 */
const MAX_CONNECTIONS_PER_PRINCIPAL = 64;

interface ConnectedPrincipal {
  readonly sessions: Set<ClientSession>;
  readonly subscription: PubSubSubscription;
}

/** The clients connected to this node, by principal. */
@Injectable()
export class ConnectionRegistryService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly connectedPrincipals = new Map<PrincipalKey, ConnectedPrincipal>();

  private reconnectSubscription: PubSubSubscription | undefined;

  constructor(
    private readonly notifier: MailboxNotifier,
    private readonly latestLocations: LatestLocationsService,
    private readonly mailboxes: MailboxReaderService,
    private readonly jobs: JobScheduler,
    private readonly childReads: GatewayChildReads,
    @Inject(PEER_PUB_SUB) private readonly pubSub: PubSub,
  ) {}

  onApplicationBootstrap(): void {
    this.reconnectSubscription = this.pubSub.onReconnect(() => this.jobs.trigger(SWEEP_JOB));
  }

  onModuleDestroy(): void {
    this.reconnectSubscription?.close();
  }

  /**
   * Makes up for lost pub/sub notifications: reads the mailbox heads of connected principals periodically and after
   * each reconnect of pub/sub.
   */
  @OnJob(SWEEP_JOB, { intervalMs: 10_000 })
  async sweepMailboxes(): Promise<void> {
    const principals = [...this.connectedPrincipals.keys()];
    for (let start = 0; start < principals.length; start += SWEEP_BATCH_SIZE) {
      const heads = await this.mailboxes.findHeads(principals.slice(start, start + SWEEP_BATCH_SIZE));
      for (const { principal, head } of heads) this.notifyHead(principal, head);
    }
  }

  @OnScrape()
  measureConnections(): void {
    const connections: Record<PrincipalType, number> = { user: 0, watch: 0, operator: 0 };
    let unsent = 0;
    for (const { sessions } of this.connectedPrincipals.values()) {
      for (const { connection } of sessions) {
        connections[connection.identity.principal.type] += 1;
        unsent += connection.unsentCount;
      }
    }
    for (const [principal, count] of Object.entries(connections))
      SOCKET_CONNECTIONS.set({ app: 'gateway', principal }, count);
    SOCKET_UNSENT_MESSAGES.set({ app: 'gateway' }, unsent);
  }

  /** Returns whether another client of this principal may connect to this node. */
  hasRoomFor(principal: PrincipalKey): boolean {
    return (this.connectedPrincipals.get(principal)?.sessions.size ?? 0) < MAX_CONNECTIONS_PER_PRINCIPAL;
  }

  /**
   * Registers the client and subscribes it to the notifications of its mailbox. Returns false without room for the
   * client: handshakes that were verified at the same time have all found room.
   */
  add(session: ClientSession): boolean {
    const { key } = session.connection;
    if (!this.hasRoomFor(key)) return false;
    const entry = this.connectedPrincipals.get(key);
    if (entry) entry.sessions.add(session);
    else {
      const subscription = this.notifier.listen(key, (notification) => this.onNotification(key, notification));
      this.connectedPrincipals.set(key, { sessions: new Set([session]), subscription });
    }
    return true;
  }

  remove(session: ClientSession): void {
    const { key } = session.connection;
    const entry = this.connectedPrincipals.get(key);
    if (!entry?.sessions.delete(session) || entry.sessions.size > 0) return;
    entry.subscription.close();
    this.connectedPrincipals.delete(key);
  }

  /** Returns whether a client of this principal is connected to this node. */
  hasConnections(principal: PrincipalKey): boolean {
    return this.connectedPrincipals.has(principal);
  }

  sessionsOf(principal: PrincipalKey): ClientSession[] {
    return [...(this.connectedPrincipals.get(principal)?.sessions ?? [])];
  }

  allSessions(): ClientSession[] {
    return [...this.connectedPrincipals.values()].flatMap(({ sessions }) => [...sessions]);
  }

  private notifyHead(principal: PrincipalKey, head: number): void {
    for (const { connection } of this.connectedPrincipals.get(principal)?.sessions ?? []) connection.notifyHead(head);
  }

  /**
   * Queues a {@link LatestValue} for one client if the client may see the value. The access of the client is checked
   * again when the value is sent.
   */
  queueLatest({ connection }: ClientSession, { key, subject, message }: LatestValue): void {
    const isAllowed = () => this.latestLocations.isAllowed(connection.key, subject);
    if (!isAllowed()) return;
    connection.queueLatest(key, message, isAllowed);
    if (subject.cid !== null && subject.audience === 'LOCATION')
      this.childReads.recordCaller(parsePrincipalKey(connection.key), subject.cid, 'LIVE_LOCATION');
  }

  private onNotification(principal: PrincipalKey, notification: MailboxNotification): void {
    for (const session of this.connectedPrincipals.get(principal)?.sessions ?? []) {
      if ('append' in notification) this.applyAppend(session, notification.append);
      else this.queueLatest(session, notification.latest);
    }
  }

  /**
   * Passes the appended messages to a connection that has already sent all earlier messages; any other connection reads
   * its mailbox.
   */
  private applyAppend({ connection }: ClientSession, append: AppendNotification): void {
    const { after, head, messages, traceparent } = append;
    if (traceparent !== undefined) {
      const span = startSpan({
        name: `deliver ${messages?.[0]?.envelope.kind ?? 'messages'}`,
        kind: 'producer',
        attributes: { 'family_watch.app': 'gateway' },
        traceparent,
      });
      if (span) connection.onceSent(head, () => span.end());
    }
    const isNext = messages !== undefined && connection.isCaughtUpTo(after);
    const range = isNext ? this.mailboxes.readAppend(connection.reader, head, messages) : undefined;
    if (range) connection.acceptRange(range);
    else connection.notifyHead(head);
  }
}
