import { Injectable } from '@nestjs/common';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import { rateLimitedError, validationError, ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { HandshakeErrorData } from '@family-watch/domain/messages/contracts/socket-events';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { Environment } from '@family-watch/platform/config/environment';
import { clientAddressReader } from '@family-watch/platform/http/server/client-address';
import { ConnectionRegistryService } from './connection-registry.service.js';
import { toServiceError } from './client-event-dispatcher.service.js';
import type { ClientSocket } from './client-session.js';
import { RefusedHandshakesService } from './refused-handshakes.service.js';

/** Error that Socket.IO sends to the client as `connect_error`. */
class HandshakeError extends Error {
  readonly data: HandshakeErrorData;

  constructor({ message, code, reason, details, retryAfter }: ServiceError) {
    super(message);
    this.data = { code, reason, ...(details ? { details } : {}), ...(retryAfter === undefined ? {} : { retryAfter }) };
  }
}

/** Milliseconds between the rejection and the close of the connection, so that the rejection reaches the client. */
const CLOSE_DELAY_MS = 1_000;

/** Authenticates and admits clients before their connection is established. */
@Injectable()
export class HandshakeService {
  private readonly readAddress: ReturnType<typeof clientAddressReader>;

  constructor(
    private readonly authenticator: Authenticator,
    private readonly connections: ConnectionRegistryService,
    private readonly refusals: RefusedHandshakesService,
    environment: Environment,
  ) {
    this.readAddress = clientAddressReader(environment);
  }

  /** Verifies the handshake of a socket, as middleware of the Socket.IO namespace. */
  readonly verify = (socket: ClientSocket, next: (error?: Error) => void): void => {
    const ip = this.readAddress(socket.conn.request);
    this.accept(socket, ip).then(
      () => next(),
      (thrown: unknown) => {
        const error = toServiceError(thrown);
        const delay = this.refusals.count(ip, error.reason, socket.handshake.auth['token']);
        const refuse = (): void => {
          setTimeout(() => socket.conn.close(), CLOSE_DELAY_MS).unref();
          next(new HandshakeError(error));
        };
        if (delay === 0) refuse();
        else setTimeout(refuse, delay).unref();
      },
    );
  };

  private async accept(socket: ClientSocket, ip: string): Promise<void> {
    const { token, last, epoch } = socket.handshake.auth;
    this.refusals.assertNotRepeated(ip, token);
    if (typeof token !== 'string' || token === '') throw new ServiceError('TOKEN_MISSING');
    const verified = await this.authenticator.verify(token);
    if (!this.connections.hasRoomFor(principalKey(verified.principal)))
      throw rateLimitedError('socket.connections', 60);
    socket.data.token = verified;
    socket.data.cursor = { last: parseCursorField('last', last), epoch: parseCursorField('epoch', epoch) };
  }
}

function parseCursorField(field: string, value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw validationError(`auth.${field}`, 'isInt', `${field} must be a non-negative integer`);
}
