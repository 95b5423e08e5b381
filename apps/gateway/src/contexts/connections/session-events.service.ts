import { Injectable } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { validationError, ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { AckDto } from '@family-watch/domain/messages/dto/ack.dto';
import type { TokenRenewalDto } from '@family-watch/domain/messages/dto/token-renewal.dto';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { AcknowledgementsService } from '../mailbox/acknowledgements.service.js';
import type { ClientSession } from './client-session.js';
import { OnClientEvent } from './on-client-event.decorator.js';

/** Events about the session itself: a fresh token, and what has arrived. */
@Injectable()
export class SessionEventsService {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly acknowledgements: AcknowledgementsService,
  ) {}

  /** @throws ServiceError FORBIDDEN for a good token of somebody else or of another sign-in. */
  @OnClientEvent('token')
  async refreshToken({ token }: TokenRenewalDto, { connection }: ClientSession): Promise<{ expiresAt: number }> {
    const { principal, issuedAt, expiresAt } = await this.authenticator.verify(token);
    if (!isSameSession(principal, connection.identity.principal)) throw new ServiceError('FORBIDDEN');
    // An older token must not shorten what a newer one gave.
    if (expiresAt > connection.identity.expiresAt) Object.assign(connection.identity, { issuedAt, expiresAt });
    return { expiresAt: connection.identity.expiresAt };
  }

  /** @throws ServiceError VALIDATION_FAILED for a number beyond the mailbox's head; MESSAGE_NOT_FOUND. */
  @OnClientEvent('AckMessage')
  async acknowledge(said: AckDto, { connection }: ClientSession): Promise<void> {
    const { seq, messageId, status } = said;
    const { principal } = connection.identity;
    if (seq !== undefined && messageId === undefined) {
      if (seq > connection.head)
        throw validationError('seq', 'max', 'seq must not be greater than the head of the mailbox');
      return this.acknowledgements.acknowledge(principal, connection.acknowledge(seq));
    }
    if (seq !== undefined || messageId === undefined || status === undefined) {
      throw validationError('seq', 'isEither', 'either seq, or messageId and status must be given');
    }
    return this.acknowledgements.recordStatus(principal, { ...said, messageId, status });
  }
}

/** Each token of a watch is a session of its own: the watch is known by its key. */
function isSameSession(renewed: Principal, current: Principal): boolean {
  if (renewed.type !== current.type || renewed.id !== current.id) return false;
  return current.type === 'watch' || renewed.sessionId === current.sessionId;
}
