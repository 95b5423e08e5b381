import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Clock } from '@family-watch/event-bus/clock';
import { Environment } from '@family-watch/platform/config/environment';
import { Batcher } from '@family-watch/platform/process/batcher';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { GatewayOutbox } from '../../infrastructure/gateway.outbox.js';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import { ConnectionRepository } from './connection.repository.js';
import type { OpenConnection } from './connection.repository.js';
import { offlineTimeoutMs, presenceChanged } from './presence-events.js';
import { WatchPresenceRepository } from './watch-presence.repository.js';
import { summarizeLivenessEvents } from './liveness-event.js';
import type { LivenessEventKind, LivenessEvent } from './liveness-event.js';

/** Something about the connections of this node that the database must learn; `resync` tells it all of them. */
interface PresenceChange {
  connectionOpened?: OpenConnection;
  connectionClosed?: string;
  resync?: true;
  sign?: LivenessEvent;
}

/** Who is connected, on whichever node, and when each watch was last heard of. */
@Injectable()
export class PresenceService implements OnApplicationShutdown {
  /** This process, among those that share the database. */
  readonly nodeId = randomUUID();
  private readonly logger = new Logger(PresenceService.name);
  /** What the database says, or will say soon, of this node. */
  private readonly held = new Map<string, OpenConnection>();
  private isBehind = false;
  private readonly changes = new Batcher<PresenceChange, void>({
    process: (changes) => this.commit(changes),
    maxBatch: 1_000,
    // A handful per connection at most, and connections are bounded by the process.
    maxWaiting: 500_000,
  });

  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly outbox: GatewayOutbox,
    private readonly connections: ConnectionRepository,
    private readonly watches: WatchPresenceRepository,
    private readonly environment: Environment,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Those with a connection to some living node; a watch only if it was heard of lately. */
  async filterOnline(principals: readonly PrincipalKey[]): Promise<Set<PrincipalKey>> {
    if (principals.length === 0) return new Set();
    const heardAfter = this.clock.now() - offlineTimeoutMs(this.environment);
    return new Set(await this.connections.findConnected(principals, heardAfter));
  }

  /** When each watch was last heard of, Unix milliseconds; one that never was is left out. */
  async findLastSeen(watches: readonly PrincipalKey[]): Promise<Map<PrincipalKey, number>> {
    const rows = await this.watches.findLastSeen(watches);
    return new Map(rows.map(({ principal, lastSeen }) => [principal, lastSeen]));
  }

  /** Connections that this node holds. */
  get connectionCount(): number {
    return this.held.size;
  }

  /**
   * A connection was opened here; resolves when every node can see it. Never rejects: what could not be stored is
   * told with the next beat of this node.
   */
  async connectionOpened(connectionId: string, principal: Principal): Promise<void> {
    const key = principalKey(principal);
    const connectionOpened = { connectionId, principal: key, session: principal.sessionId, openedAt: this.clock.now() };
    this.held.set(connectionId, connectionOpened);
    await this.tell({ connectionOpened, ...this.signOf(key, 'connected') });
  }

  /** The connection has ended. Never rejects; a connection that was never told of is nothing to it. */
  async connectionClosed(connectionId: string): Promise<void> {
    const connection = this.held.get(connectionId);
    if (!connection) return;
    this.held.delete(connectionId);
    await this.tell({ connectionClosed: connectionId, ...this.signOf(connection.principal, 'disconnected') });
  }

  /** A heartbeat of a watch. Never rejects: the next one makes up for it. */
  async recordHeartbeat(watch: PrincipalKey): Promise<void> {
    await this.tell(this.signOf(watch, 'heard'));
  }

  /**
   * The watch has said that it shuts down: its silence will need no explanation.
   * @throws ServiceError OVERLOADED; DatabaseUnavailableError
   */
  async recordShutdown(watch: PrincipalKey): Promise<void> {
    await this.changes.submit(this.signOf(watch, 'shutting down'));
  }

  /** Tells the database all connections of this node if it may have missed some, or has `forgotten` this node. */
  async resync(forgotten: boolean): Promise<void> {
    if (!forgotten && !this.isBehind) return;
    this.isBehind = false;
    await this.tell({ resync: true });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.changes.idle();
    await this.connections.removeNode(this.nodeId).catch((error: unknown) => {
      this.logger.warn({ msg: 'Node deregistration failed', nodeId: this.nodeId, err: error });
    });
  }

  private signOf(principal: PrincipalKey, kind: LivenessEventKind): PresenceChange {
    return principal.startsWith('watch:') ? { sign: { principal, kind, at: this.clock.now() } } : {};
  }

  private async tell(change: PresenceChange): Promise<void> {
    try {
      await this.changes.submit(change);
    } catch (error) {
      if (change.connectionOpened || change.connectionClosed || change.resync) this.isBehind = true;
      this.logger.warn({ msg: 'Presence update failed', err: error });
    }
  }

  private async commit(changes: readonly PresenceChange[]): Promise<void[]> {
    const signs = changes.flatMap(({ sign }) => sign ?? []);
    await this.unitOfWork.run(async () => {
      await this.storeConnections(changes);
      if (signs.length === 0) return;
      const cameOnline = await this.watches.store(summarizeLivenessEvents(signs), offlineTimeoutMs(this.environment));
      const now = this.clock.now();
      await this.outbox.appendMany(cameOnline.map((principal) => presenceChanged(principal, true, now, now)));
    });
    return [];
  }

  private async storeConnections(changes: readonly PresenceChange[]): Promise<void> {
    if (changes.some(({ resync }) => resync)) {
      await this.connections.replace(this.nodeId, [...this.held.values()]);
      return;
    }
    const closed = new Set(changes.flatMap((change) => change.connectionClosed ?? []));
    const opened = changes.flatMap((change) => change.connectionOpened ?? []);
    await this.connections.delete([...closed]);
    await this.connections.insert(
      this.nodeId,
      opened.filter(({ connectionId }) => !closed.has(connectionId)),
    );
  }
}
