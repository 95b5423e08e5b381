import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Revocation, RevocationFeed } from '@family-watch/domain/kernel/contracts/revocation';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { Clock } from '@family-watch/event-bus/clock';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { CLOCK, REVOCATION_FEED } from '../infrastructure/gateway-infrastructure.js';
import type { ClientSession } from './client-session.js';
import { ConnectionRegistryService } from './connection-registry.service.js';

/** Milliseconds that a connection stays open after its token has expired without a refresh. */
const RENEWAL_GRACE_MS = 60_000;
/** Milliseconds in which a revocation feed that seems stale may read its pending messages. */
const STALE_RECHECK_DELAY_MS = 100;

/** Closes connections whose token has expired or was revoked, and all connections while revocations are stale. */
@Injectable()
export class SessionExpiryService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly unsubscribeFunctions: (() => void)[] = [];

  constructor(
    private readonly connections: ConnectionRegistryService,
    private readonly authenticator: Authenticator,
    @Inject(REVOCATION_FEED) private readonly revocations: RevocationFeed,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.unsubscribeFunctions.push(
      this.revocations.onRevoked((revocation) => this.onRevoked(revocation)),
      this.revocations.onFreshnessChange((fresh) => {
        if (!fresh) this.closeAllWithInvalidToken();
      }),
    );
  }

  onApplicationShutdown(): void {
    for (const unsubscribe of this.unsubscribeFunctions) unsubscribe();
  }

  /** Closes the connection unless its token is still valid. */
  closeIfTokenInvalid({ connection }: ClientSession): void {
    const { identity } = connection;
    if (this.clock.now() >= identity.expiresAt + RENEWAL_GRACE_MS) {
      connection.close('token expired');
      return;
    }
    try {
      this.authenticator.assertNotRevoked(identity);
    } catch (error) {
      const revoked = error instanceof ServiceError && error.reason === 'TOKEN_REVOKED';
      connection.close(revoked ? 'token revoked' : 'revocations stale');
    }
  }

  /**
   * Closes all connections whose token is invalid. Waits first if the revocation feed seems stale: after a pause of the
   * process, messages of the feed may still be unread in the feed's socket.
   */
  @OnJob('gateway.connections.close-expired-sessions', { intervalMs: 1_000, runsWhileClientsAreConnected: true })
  closeExpired(): Promise<void> {
    if (this.revocations.isFresh) this.closeAllWithInvalidToken();
    else setTimeout(() => this.closeAllWithInvalidToken(), STALE_RECHECK_DELAY_MS).unref();
    return Promise.resolve();
  }

  private closeAllWithInvalidToken(): void {
    for (const session of this.connections.allSessions()) this.closeIfTokenInvalid(session);
  }

  private onRevoked({ scope }: Revocation): void {
    const affected =
      'principal' in scope
        ? this.connections.sessionsOf(scope.principal)
        : this.connections
            .allSessions()
            .filter(({ connection }) => connection.identity.principal.sessionId === scope.sessionId);
    for (const session of affected) this.closeIfTokenInvalid(session);
  }
}
