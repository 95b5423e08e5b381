import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { principalKey, type Principal, type PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Clock } from '@family-watch/event-bus/clock';
import { Environment } from '@family-watch/platform/config/environment';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { Batcher } from '@family-watch/platform/concurrency/batcher';
import { CLOCK, GatewayOutbox, GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { PresenceRepository, type OpenConnection } from './presence.repository.js';
import {
  offlineTimeoutMs,
  createPresenceChangedEvent,
  summarizeLivenessEvents,
  type LivenessEventKind,
  type LivenessEvent,
} from './watch-liveness.service.js';

/** Milliseconds between two renewals of the node's lease: a third of its validity. */
const RENEWAL_INTERVAL_MS = 3_000;

/** A change of this node's connections that must be stored; `resync` stores all connections of the node. */
interface PresenceChange {
  connectionOpened?: OpenConnection;
  connectionClosed?: string;
  resync?: true;
  livenessEvent?: LivenessEvent;
}

/** Records which principals are connected to which node, and when each watch was last seen. */
@Injectable()
export class PresenceService implements OnApplicationShutdown {
  /** Identifies this process among the gateway processes that share the database. */
  readonly nodeId = randomUUID();
  private readonly logger = new Logger(PresenceService.name);
  /** This node's open connections, as stored or about to be stored in the database. */
  private readonly localConnections = new Map<string, OpenConnection>();
  private needsResync = false;
  private readonly changeBatcher = new Batcher<PresenceChange, void>({
    process: (changes) => this.commit(changes),
    maxBatchSize: 1_000,
    // Each connection has at most a few waiting changes, and connections are limited per process.
    maxWaitingItems: 500_000,
  });

  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly outbox: GatewayOutbox,
    private readonly presence: PresenceRepository,
    private readonly environment: Environment,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Returns the principals with a connection to a node whose lease is valid. A watch is returned only if it was also
   * seen within the offline timeout.
   */
  async filterOnline(principals: readonly PrincipalKey[]): Promise<Set<PrincipalKey>> {
    if (principals.length === 0) return new Set();
    const seenAfter = this.clock.now() - offlineTimeoutMs(this.environment);
    return new Set(await this.presence.findConnected(principals, seenAfter));
  }

  /** Returns when each watch was last seen (Unix milliseconds); omits watches that were never seen. */
  async findLastSeen(watches: readonly PrincipalKey[]): Promise<Map<PrincipalKey, number>> {
    const seen = await this.presence.findWatches(watches);
    return new Map(seen.map(({ principal, lastSeenAt }) => [principal, lastSeenAt]));
  }

  /** Number of this node's open connections. */
  get connectionCount(): number {
    return this.localConnections.size;
  }

  /**
   * Records an open connection of this node; resolves when all nodes can see it. Never rejects: a change that could not
   * be stored is stored with the next lease renewal.
   */
  async connectionOpened(connectionId: string, principal: Principal): Promise<void> {
    const key = principalKey(principal);
    const connectionOpened = { connectionId, principal: key, session: principal.sessionId, openedAt: this.clock.now() };
    this.localConnections.set(connectionId, connectionOpened);
    await this.submitSafely({ connectionOpened, ...this.livenessChange(key, 'connected') });
  }

  /** Records that a connection has closed. Never rejects; ignores an unknown `connectionId`. */
  async connectionClosed(connectionId: string): Promise<void> {
    const connection = this.localConnections.get(connectionId);
    if (!connection) return;
    this.localConnections.delete(connectionId);
    const livenessChange = this.livenessChange(connection.principal, 'disconnected');
    await this.submitSafely({ connectionClosed: connectionId, ...livenessChange });
  }

  /** Records a heartbeat of a watch. Never rejects: the next heartbeat makes up for a lost heartbeat. */
  async recordHeartbeat(watch: PrincipalKey): Promise<void> {
    await this.submitSafely(this.livenessChange(watch, 'heartbeat'));
  }

  /**
   * Records that the watch has announced its shutdown, so that a later offline state is not reported as a lost
   * connection.
   * @throws ServiceError OVERLOADED if too many changes wait; DatabaseUnavailableError
   */
  async recordShutdown(watch: PrincipalKey): Promise<void> {
    await this.changeBatcher.submit(this.livenessChange(watch, 'shutting down'));
  }

  /**
   * Renews this node's lease, which it acquires before it accepts connections, and deletes nodes whose leases have
   * expired. Stores all connections of this node if an earlier update failed or the lease was lost.
   */
  @OnJob('gateway.presence.renew-node-lease', {
    intervalMs: RENEWAL_INTERVAL_MS,
    firstRun: 'before start',
    runsWhileClientsAreConnected: true,
  })
  async renewLease(): Promise<void> {
    const wasValid = await this.presence.renewLease(this.nodeId, this.clock.now());
    if (!wasValid || this.needsResync) {
      this.needsResync = false;
      await this.submitSafely({ resync: true });
    }
    await this.unitOfWork.run(async () => {
      const expired = await this.presence.removeExpiredNodes();
      await this.presence.storeDisconnects(expired.filter(({ principal }) => principal.startsWith('watch:')));
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.changeBatcher.waitUntilIdle();
    await this.presence.removeNode(this.nodeId).catch((error: unknown) => {
      this.logger.warn({ msg: 'Node deregistration failed', nodeId: this.nodeId, err: error });
    });
  }

  private livenessChange(principal: PrincipalKey, kind: LivenessEventKind): PresenceChange {
    return principal.startsWith('watch:') ? { livenessEvent: { principal, kind, at: this.clock.now() } } : {};
  }

  /** Submits a change; never rejects. A change of connections that failed is stored by the next resync. */
  private async submitSafely(change: PresenceChange): Promise<void> {
    try {
      await this.changeBatcher.submit(change);
    } catch (error) {
      if (change.connectionOpened || change.connectionClosed || change.resync) this.needsResync = true;
      this.logger.warn({ msg: 'Presence update failed', err: error });
    }
  }

  private async commit(changes: readonly PresenceChange[]): Promise<void[]> {
    const livenessEvents = changes.flatMap(({ livenessEvent }) => livenessEvent ?? []);
    await this.unitOfWork.run(async () => {
      await this.storeConnections(changes);
      if (livenessEvents.length === 0) return;
      const summaries = summarizeLivenessEvents(livenessEvents);
      const cameOnline = await this.presence.storeSummaries(summaries, offlineTimeoutMs(this.environment));
      const now = this.clock.now();
      await this.outbox.appendMany(
        cameOnline.map((principal) => createPresenceChangedEvent(principal, true, now, now)),
      );
    });
    return [];
  }

  private async storeConnections(changes: readonly PresenceChange[]): Promise<void> {
    if (changes.some(({ resync }) => resync)) {
      await this.presence.replaceConnections(this.nodeId, [...this.localConnections.values()]);
      return;
    }
    const closed = new Set(changes.flatMap((change) => change.connectionClosed ?? []));
    const opened = changes.flatMap((change) => change.connectionOpened ?? []);
    await this.presence.deleteConnections([...closed]);
    await this.presence.insertConnections(
      this.nodeId,
      opened.filter(({ connectionId }) => !closed.has(connectionId)),
    );
  }
}
