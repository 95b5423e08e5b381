import { Inject, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import {
  SubscribeMessage,
  WebSocketGateway,
  type OnGatewayConnection,
  type OnGatewayDisconnect,
  type OnGatewayInit,
} from '@nestjs/websockets';
import type { Namespace, Server } from 'socket.io';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError, validationError } from '@family-watch/domain/kernel/contracts/service-error';
import { MESSAGE_CONTRACT_VERSION } from '@family-watch/domain/messages/contracts/socket-events';
import type { AckDto, TokenRenewalDto } from '@family-watch/domain/messages/dto/payloads.dto';
import type { Clock } from '@family-watch/event-bus/clock';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { Environment } from '@family-watch/platform/config/environment';
import { releaseFromAddressLimit } from '@family-watch/platform/http/server/connection-table';
import { Semaphore } from '@family-watch/platform/concurrency/semaphore';
import { runAs } from '@family-watch/platform/concurrency/work-priority';
import { CLOCK } from '../infrastructure/gateway-infrastructure.js';
import { Connection, reconnectAdvice } from './connection.js';
import { EventRateLimiter } from './client-limits.js';
import { ConnectedFamiliesService } from '../projections/connected-families.service.js';
import { AcknowledgementsService } from '../mailbox/acknowledgements.service.js';
import { MailboxReaderService } from '../mailbox/mailbox-reader.service.js';
import { LatestLocationsService } from '../mailbox/latest-locations/latest-locations.service.js';
import {
  blockEventsUntil,
  SocketChannel,
  releaseUpgradeRequest,
  type ClientSession,
  type ClientSocket,
} from './client-session.js';
import { PresenceService } from './presence/presence.service.js';
import { ConnectionRegistryService } from './connection-registry.service.js';
import { HandshakeService } from './handshake.service.js';

/**
 * Maximum number of connections set up concurrently, so that live delivery continues while thousands of clients
 * reconnect.
 */
const MAX_CONCURRENT_SETUPS = 32;

/**
 * Length of a burst in seconds: a client may send the events permitted in this time without a pause. A connection is
 * closed after as many rejected events as one burst may contain.
 */
const BURST_SECONDS = 5;

/** Creates a session for each socket: handles the handshake, `hello`, delivery, acknowledgements and disconnect. */
@WebSocketGateway()
export class ConnectionsGateway
  implements
    OnGatewayInit<Server>,
    OnGatewayConnection<ClientSocket>,
    OnGatewayDisconnect<ClientSocket>,
    BeforeApplicationShutdown
{
  private readonly logger = new Logger(ConnectionsGateway.name);
  private readonly setupSemaphore = new Semaphore({
    setup: { running: MAX_CONCURRENT_SETUPS, perOwner: { running: 2, waiting: Infinity } },
  });

  constructor(
    private readonly environment: Environment,
    private readonly handshake: HandshakeService,
    private readonly connections: ConnectionRegistryService,
    private readonly authenticator: Authenticator,
    private readonly families: ConnectedFamiliesService,
    private readonly acknowledgements: AcknowledgementsService,
    private readonly reader: MailboxReaderService,
    private readonly latestLocations: LatestLocationsService,
    private readonly presence: PresenceService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  afterInit(server: Server): void {
    (server as unknown as Namespace).use(this.handshake.verify as Parameters<Namespace['use']>[0]);
  }

  handleConnection(socket: ClientSocket): void {
    const channel = new SocketChannel(socket, () => reconnectAdvice(this.presence.connectionCount));
    const session = this.createSession(socket, channel);
    socket.data.session = session;
    releaseFromAddressLimit(socket.conn.request.socket);
    releaseUpgradeRequest(socket);
    // The session is registered before its mailbox is read, so that messages stored after the read notify the session.
    if (!this.connections.add(session)) return session.connection.close('unavailable');
    const owner = session.connection.key;
    blockEventsUntil(
      session,
      this.setupSemaphore
        .run('setup', () => runAs('caller', () => this.setUp(session, socket), owner), { owner })
        .catch((error: unknown) => {
          this.logger.warn({ msg: 'Connection setup failed', err: error });
          session.connection.close('unavailable');
        }),
    );
  }

  handleDisconnect(socket: ClientSocket): void {
    // A client that leaves the namespace would keep a connection that no limit counts and no token ends.
    socket.conn.close();
    const { session } = socket.data;
    if (!session) return;
    session.connection.onClosed();
    this.connections.remove(session);
    session.release?.();
  }

  /** @throws ServiceError FORBIDDEN for a valid token of another principal or another session */
  @SubscribeMessage('token')
  async refreshToken({ connection }: ClientSession, { token }: TokenRenewalDto): Promise<{ expiresAt: number }> {
    const { principal, issuedAt, expiresAt } = await this.authenticator.verify(token);
    if (!isSameSession(principal, connection.identity.principal)) throw new ServiceError('FORBIDDEN');
    // A token that expires earlier than the current one must not shorten the validity of the connection.
    if (expiresAt > connection.identity.expiresAt) Object.assign(connection.identity, { issuedAt, expiresAt });
    return { expiresAt: connection.identity.expiresAt };
  }

  /**
   * @throws ServiceError VALIDATION_FAILED for a sequence number beyond the mailbox's head
   * @throws ServiceError MESSAGE_NOT_FOUND
   */
  @SubscribeMessage('AckMessage')
  async acknowledge({ connection }: ClientSession, ack: AckDto): Promise<void> {
    const { seq, messageId, status } = ack;
    const { principal } = connection.identity;
    if (seq !== undefined && messageId === undefined) {
      if (seq > connection.head)
        throw validationError('seq', 'max', 'seq must not be greater than the head of the mailbox');
      return this.acknowledgements.acknowledge(principal, connection.acknowledge(seq));
    }
    if (seq !== undefined || messageId === undefined || status === undefined) {
      throw validationError('seq', 'isEither', 'either seq, or messageId and status must be given');
    }
    return this.acknowledgements.recordStatus(principal, { ...ack, messageId, status });
  }

  beforeApplicationShutdown(): void {
    for (const { connection } of this.connections.allSessions()) connection.close('shutting down');
  }

  private createSession(socket: ClientSocket, channel: SocketChannel): ClientSession {
    const { principal, issuedAt, expiresAt } = socket.data.token;
    const perSecond = this.environment.RATE_LIMIT_EVENTS;
    const limits = { perSecond, burst: perSecond * BURST_SECONDS, maxRejections: perSecond * BURST_SECONDS };
    const connection = new Connection({ principal, issuedAt, expiresAt }, channel, (reader, after, through) =>
      this.reader.read(reader, after, through),
    );
    const rateLimiter = new EventRateLimiter(limits, () => performance.now());
    return { connection, channel, rateLimiter, eventQueue: undefined };
  }

  private async setUp(session: ClientSession, socket: ClientSocket): Promise<void> {
    const { connection } = session;
    // The client may have left while the setup waited for its turn.
    if (connection.isClosed) return;
    const { principal } = connection.identity;
    session.release = () => {
      this.families.release(connection.key);
      void this.presence.connectionClosed(socket.id);
    };
    const presenceStored = this.presence.connectionOpened(socket.id, principal);
    await this.families.retain(connection.key);
    const { head, epoch, from, reset } = await this.acknowledgements.open(principal, socket.data.cursor);
    // The client is online on every node before it receives `hello`.
    await presenceStored;
    const hello = {
      version: MESSAGE_CONTRACT_VERSION,
      principal: connection.key,
      sessionId: principal.sessionId,
      head,
      epoch,
      heartbeatInterval: this.environment.HEARTBEAT_INTERVAL,
      serverTime: this.clock.now(),
      reconnect: reconnectAdvice(this.presence.connectionCount),
      ...(reset ? { reset } : {}),
    } as const;
    connection.start(hello, from);
    if (principal.type !== 'user' || connection.isClosed) return;
    for (const latest of await this.latestLocations.findVisibleTo(principal.id))
      this.connections.queueLatest(session, latest);
  }
}

/** Session ids of a watch are not compared: each of its tokens has its own session id, and a watch is one session. */
function isSameSession(refreshed: Principal, current: Principal): boolean {
  if (refreshed.type !== current.type || refreshed.id !== current.id) return false;
  return current.type === 'watch' || refreshed.sessionId === current.sessionId;
}
