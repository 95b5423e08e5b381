import { Injectable } from '@nestjs/common';
import type { CloudRight } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { Principal, PrincipalKey, PrincipalType } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { resolveActor, hasRight } from '../clouds/cloud-actor.js';
import type { CloudActor } from '../clouds/cloud-actor.js';
import { CloudAccessService } from '../clouds/cloud-access.service.js';

/** For whom a short-lived address was made, as it is stored with it. Times in Unix milliseconds. */
export interface UrlHolder {
  cloudId: string;
  principal: PrincipalKey;
  sessionId: string;
  createdAt: number;
  expiresAt: number;
}

/** An address works without a Bearer, but never longer than the access of the one it was made for. */
@Injectable()
export class UrlHolderService {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly access: CloudAccessService,
  ) {}

  /**
   * The holder as they stand now, or `undefined` when their session, membership or right has ended.
   * @throws ServiceError REVOCATIONS_STALE when that cannot be known
   */
  async find(holder: UrlHolder, right: CloudRight): Promise<CloudActor | undefined> {
    const principal = this.principalOf(holder);
    const actor = principal && (await this.access.find(holder.cloudId, principal));
    return actor && hasRight(actor, right) ? actor : undefined;
  }

  /**
   * The same for a family that has been read already.
   * @throws ServiceError REVOCATIONS_STALE
   */
  check(holder: UrlHolder, family: FamilySnapshot, right: CloudRight): CloudActor | undefined {
    const principal = this.principalOf(holder);
    const actor = principal && resolveActor(family, principal);
    return actor && hasRight(actor, right) ? actor : undefined;
  }

  /**
   * The person for whom the address was made, while their session stands.
   * @throws ServiceError REVOCATIONS_STALE when that cannot be known
   */
  principalOf(holder: Omit<UrlHolder, 'cloudId'>): Principal | undefined {
    const principal = holderOf(holder);
    return this.stands(principal, holder) ? principal : undefined;
  }

  private stands(principal: Principal, { createdAt, expiresAt }: Pick<UrlHolder, 'createdAt' | 'expiresAt'>): boolean {
    try {
      // The token was good when the address was made; what counts is what has been revoked since.
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
