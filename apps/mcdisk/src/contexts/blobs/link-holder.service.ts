import { Injectable } from '@nestjs/common';
import type { CloudRight } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import type { Principal, PrincipalKey, PrincipalType } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { mayIn } from '../clouds/cloud.access.js';
import type { CloudActor } from '../clouds/cloud.access.js';
import { CloudAccessService } from '../clouds/cloud-access.service.js';

/** For whom a short-lived address was made, as it is stored with it. Times in Unix milliseconds. */
export interface LinkHolder {
  cloudId: string;
  principal: PrincipalKey;
  sessionId: string;
  createdAt: number;
  expiresAt: number;
}

/** An address works without a Bearer, but never longer than the access of the one it was made for. */
@Injectable()
export class LinkHolderService {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly access: CloudAccessService,
  ) {}

  /**
   * The holder as they stand now, or `undefined` when their session, membership or right has ended.
   * @throws ServiceError REVOCATIONS_STALE when that cannot be known
   */
  async find(holder: LinkHolder, right: CloudRight): Promise<CloudActor | undefined> {
    const principal = principalOf(holder);
    if (!this.stands(principal, holder)) return undefined;
    const actor = await this.access.find(holder.cloudId, principal);
    return actor && mayIn(actor, right) ? actor : undefined;
  }

  private stands(principal: Principal, { createdAt, expiresAt }: LinkHolder): boolean {
    try {
      // The token was good when the address was made; what counts is what has been revoked since.
      this.authenticator.assertStanding({ principal, issuedAt: createdAt, expiresAt });
      return true;
    } catch (error) {
      if (error instanceof ServiceError && error.status === 401) return false;
      throw error;
    }
  }
}

function principalOf({ principal, sessionId }: LinkHolder): Principal {
  const separator = principal.indexOf(':');
  return {
    type: principal.slice(0, separator) as PrincipalType,
    id: principal.slice(separator + 1),
    sessionId,
  };
}
