import { Injectable } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { validationError, ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { AckDto, TokenRenewalDto } from '@family-watch/domain/messages/dto/payloads.dto';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { AcknowledgementsService } from '../mailbox/acknowledgements.service.js';
import type { ClientSession } from './client-session.js';
import { OnClientEvent } from './on-client-event.decorator.js';

/** Handles token refreshes and acknowledgements of a session. */
@Injectable()
export class SessionEventsService {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly acknowledgements: AcknowledgementsService,
  ) {}

  /** @throws ServiceError FORBIDDEN for a valid token of another principal or another session */
  @OnClientEvent('token')
  async refreshToken({ token }: TokenRenewalDto, { connection }: ClientSession): Promise<{ expiresAt: number }> {
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
  @OnClientEvent('AckMessage')
  async acknowledge(ack: AckDto, { connection }: ClientSession): Promise<void> {
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
}

/** Session ids of a watch are not compared: each of its tokens has its own session id, and a watch is one session. */
function isSameSession(refreshed: Principal, current: Principal): boolean {
  if (refreshed.type !== current.type || refreshed.id !== current.id) return false;
  return current.type === 'watch' || refreshed.sessionId === current.sessionId;
}
