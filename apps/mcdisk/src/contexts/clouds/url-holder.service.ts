import { Injectable } from '@nestjs/common';
import type { CloudRight } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { Principal, PrincipalKey, PrincipalType } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { hasRight } from './cloud-actor.js';
import type { CloudActor } from './cloud-actor.js';
import { CloudAccessService } from './cloud-access.service.js';

/**
 * The principal for whom a short-lived capability URL was created, as stored with the URL. Times in Unix milliseconds.
 */
export interface UrlHolder {
  cloudId: string;
  principal: PrincipalKey;
  sessionId: string;
  createdAt: number;
  expiresAt: number;
}

/**
 * Checks holders of capability URLs. A URL works without an access token, but only as long as its holder has access.
 */
@Injectable()
export class UrlHolderService {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly access: CloudAccessService,
  ) {}

  /**
   * Returns the holder with current rights, or `undefined` when their session, membership or right has ended.
   * @throws ServiceError REVOCATIONS_STALE when the session cannot be verified
   */
  async find(holder: UrlHolder, right: CloudRight): Promise<CloudActor | undefined> {
    const principal = this.principalOf(holder);
    const actor = principal && (await this.access.find(holder.cloudId, principal));
    return actor && hasRight(actor, right) ? actor : undefined;
  }

  /**
   * Returns the same result as `find`, for a family that is already loaded.
   * @throws ServiceError REVOCATIONS_STALE
   * @throws ServiceError CLOUD_NOT_READY while the projection of the family is unknown
   */
  findInFamily(holder: UrlHolder, family: FamilySnapshot, right: CloudRight): CloudActor | undefined {
    const principal = this.principalOf(holder);
    const actor = principal && this.access.resolve(family, principal);
    return actor && hasRight(actor, right) ? actor : undefined;
  }

  /**
   * Returns the principal for whom the URL was created, or `undefined` when their session was revoked.
   * @throws ServiceError REVOCATIONS_STALE when the session cannot be verified
   */
  principalOf(holder: Omit<UrlHolder, 'cloudId'>): Principal | undefined {
    const principal = holderOf(holder);
    return this.isSessionActive(principal, holder) ? principal : undefined;
  }

  private isSessionActive(
    principal: Principal,
    { createdAt, expiresAt }: Pick<UrlHolder, 'createdAt' | 'expiresAt'>,
  ): boolean {
    try {
      // The access token was valid when the URL was created; only later revocations matter.
      this.authenticator.assertNotRevoked({ principal, issuedAt: createdAt, expiresAt });
      return true;
    } catch (error) {
      if (error instanceof ServiceError && error.status === 401) return false;
      throw error;
    }
  }
}

function holderOf({ principal, sessionId }: Pick<UrlHolder, 'principal' | 'sessionId'>): Principal {
  const separator = principal.indexOf(':');
  return {
    type: principal.slice(0, separator) as PrincipalType,
    id: principal.slice(separator + 1),
    sessionId,
  };
}
