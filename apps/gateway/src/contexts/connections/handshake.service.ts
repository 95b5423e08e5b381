import { Injectable } from '@nestjs/common';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import { validationError, ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { HandshakeErrorData } from '@family-watch/domain/messages/contracts/socket-events';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { ConnectionRegistryService } from './connection-registry.service.js';
import { toServiceError } from './client-event-dispatcher.service.js';
import type { ClientSocket } from './client-session.js';

/** Error that Socket.IO sends to the client as `connect_error`. */
class HandshakeError extends Error {
  readonly data: HandshakeErrorData;

  constructor({ message, code, reason, retryAfter }: ServiceError) {
    super(message);
    this.data = { code, reason, ...(retryAfter === undefined ? {} : { retryAfter }) };
  }
}

/** Milliseconds between the rejection and the close of the connection, so that the rejection reaches the client. */
const CLOSE_DELAY_MS = 1_000;

/**
 * Maximum number of connections of one principal to one node, including stale connections of clients on poor networks.
 */
const MAX_CONNECTIONS_PER_PRINCIPAL = 64;

/** Authenticates and admits clients before their connection is established. */
@Injectable()
export class HandshakeService {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly connections: ConnectionRegistryService,
  ) {}

  /** Verifies the handshake of a socket, as middleware of the Socket.IO namespace. */
  readonly verify = (socket: ClientSocket, next: (error?: Error) => void): void => {
    this.accept(socket).then(
      () => next(),
      (thrown: unknown) => {
        setTimeout(() => socket.conn.close(), CLOSE_DELAY_MS).unref();
        next(new HandshakeError(toServiceError(thrown)));
      },
    );
  };

  private async accept(socket: ClientSocket): Promise<void> {
    const { token, last, epoch } = socket.handshake.auth;
    if (typeof token !== 'string' || token === '') throw new ServiceError('TOKEN_MISSING');
    const verified = await this.authenticator.verify(token);
    if (this.connections.sessionsOf(principalKey(verified.principal)).length >= MAX_CONNECTIONS_PER_PRINCIPAL) {
      throw new ServiceError('RATE_LIMITED', { retryAfter: 60 });
    }
    socket.data.token = verified;
    socket.data.cursor = { last: parseCursorField('last', last), epoch: parseCursorField('epoch', epoch) };
  }
}

function parseCursorField(field: string, value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw validationError(`auth.${field}`, 'isInt', `${field} must be a non-negative integer`);
}
