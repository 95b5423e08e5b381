import { Inject, Injectable } from '@nestjs/common';
import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { CLOUD_TICKET, type TicketScope } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { VerificationKeySource } from '@family-watch/platform/auth/token-verifier';
import { TICKET_VERIFICATION_KEYS } from '../../infrastructure/mcdisk-infrastructure.js';

/** Errors of the key source that mean an invalid ticket; every other error is a failure of the key source. */
const INVALID_TICKET_ERRORS = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported];

/** The access that a ticket must allow. */
export interface TicketRequirement {
  cloudID: string;
  scope: TicketScope;
  caller: Principal;
}

/**
 * Verifies tickets. A valid ticket grants no additional rights: the access token, which was checked before, decides
 * what the caller may do.
 */
@Injectable()
export class TicketVerifier {
  constructor(@Inject(TICKET_VERIFICATION_KEYS) private readonly keys: VerificationKeySource) {}

  /**
   * @throws ServiceError TICKET_INVALID unless the ticket is genuine, not expired, issued for this cloud and watch, and
   * has the scope
   */
  async assertValid(ticket: string, { cloudID, scope, caller }: TicketRequirement): Promise<void> {
    const {
      did,
      cloudID: ticketCloudId,
      scope: scopes,
    } = await verifyTicket(ticket, CLOUD_TICKET, ['did', 'cloudID', 'scope'], this.keys);
    const allowed = ticketCloudId === cloudID && Array.isArray(scopes) && scopes.includes(scope);
    // A watch must send its own ticket; a member may send the ticket of a child's watch.
    if (!allowed || (caller.type === 'watch' && String(did) !== caller.id)) throw new ServiceError('TICKET_INVALID');
  }
}

/** What all tickets of one kind have in common. */
interface TicketFormat {
  issuer: string;
  audience: string;
  type: string;
  algorithm: string;
}

const MAX_TICKET_LENGTH = 1_024;

/**
 * Returns the claims of a ticket in a URL; undefined for values that are no genuine ticket.
 * @throws ServiceError SERVICE_UNAVAILABLE if the keys are unavailable
 */
export async function readTicketOfUrl<Claims>(
  ticket: unknown,
  format: TicketFormat,
  requiredClaims: readonly string[],
  keys: VerificationKeySource,
): Promise<Claims | undefined> {
  if (typeof ticket !== 'string' || ticket.length > MAX_TICKET_LENGTH) return undefined;
  try {
    return (await verifyTicket(ticket, format, requiredClaims, keys)) as Claims;
  } catch (error) {
    if (error instanceof ServiceError && error.reason === 'TICKET_INVALID') return undefined;
    throw error;
  }
}

/**
 * Returns the claims of a genuine ticket that has not expired.
 * @throws ServiceError TICKET_INVALID for other tickets, SERVICE_UNAVAILABLE if the keys are unavailable
 */
async function verifyTicket(
  ticket: string,
  { issuer, audience, type, algorithm }: TicketFormat,
  requiredClaims: readonly string[],
  keys: VerificationKeySource,
): Promise<JWTPayload> {
  /** Finds the key of a ticket, and distinguishes an unknown key from a failure of the key source. */
  const findKey: JWTVerifyGetKey = async (header, token) => {
    if (!header.kid) throw new ServiceError('TICKET_INVALID');
    try {
      return await keys(header, token);
    } catch (cause) {
      if (INVALID_TICKET_ERRORS.some((errorType) => cause instanceof errorType))
        throw new ServiceError('TICKET_INVALID', { cause });
      throw new ServiceError('SERVICE_UNAVAILABLE', { retryAfter: 2, cause });
    }
  };
  try {
    const options = { issuer, audience, typ: type, algorithms: [algorithm] };
    const { payload } = await jwtVerify(ticket, findKey, {
      ...options,
      requiredClaims: [...requiredClaims, 'iat', 'exp'],
    });
    return payload;
  } catch (cause) {
    throw cause instanceof ServiceError ? cause : new ServiceError('TICKET_INVALID', { cause });
  }
}
