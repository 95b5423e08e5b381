import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Revocation, RevocationFeed } from '@family-watch/domain/kernel/contracts/revocation';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { Clock } from '@family-watch/event-bus/clock';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { CLOCK, REVOCATION_FEED } from '../../infrastructure/gateway.tokens.js';
import type { ClientSession } from './client-session.js';
import { ConnectionRegistryService } from './connection-registry.service.js';

/** How long a socket outlives a token that was not renewed. Milliseconds. */
const RENEWAL_GRACE_MS = 60_000;
const SWEEP_MS = 1_000;
const READ_FIRST_MS = 100;

/** Ends connections whose token has run out or was revoked, and all of them while that cannot be known. */
@Injectable()
export class SessionExpiryService implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private readonly stops: (() => void)[] = [];

  constructor(
    private readonly connections: ConnectionRegistryService,
    private readonly authenticator: Authenticator,
    @Inject(REVOCATION_FEED) private readonly revocations: RevocationFeed,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.stops.push(
      this.revocations.onRevoked((revocation) => this.onRevoked(revocation)),
      this.revocations.onFreshness((fresh) => {
        if (!fresh) this.checkAll();
      }),
    );
    this.timer = setInterval(() => this.sweep(), SWEEP_MS);
    this.timer.unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    for (const stop of this.stops) stop();
  }

  /** Ends the connection unless its token stands. */
  closeIfExpired({ connection }: ClientSession): void {
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

  /** A process that stood still finds the feed's words waiting in its socket: they are read before connections end. */
  private sweep(): void {
    if (this.revocations.isFresh) this.checkAll();
    else setTimeout(() => this.checkAll(), READ_FIRST_MS).unref();
  }

  private checkAll(): void {
    for (const session of this.connections.all()) this.closeIfExpired(session);
  }

  private onRevoked({ scope }: Revocation): void {
    const concerned =
      'principal' in scope
        ? this.connections.sessionsOf(scope.principal)
        : this.connections
            .all()
            .filter(({ connection }) => connection.identity.principal.sessionId === scope.sessionId);
    for (const session of concerned) this.closeIfExpired(session);
  }
}
