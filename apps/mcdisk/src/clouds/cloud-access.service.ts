import { Injectable } from '@nestjs/common';
import type { CloudRight } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import {
  parsePrincipalKey,
  principalKey,
  type Principal,
  type PrincipalKey,
} from '@family-watch/domain/kernel/contracts/principal';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { FamilyEventMonitor } from '@family-watch/platform/jobs/family-event-monitor';
import { MembershipWait } from '@family-watch/platform/jobs/membership-wait';
import { McdiskUnitOfWork } from '../infrastructure/mcdisk-infrastructure.js';
import { resolveActor, hasRight, type CloudActor } from './cloud-actor.js';
import { FamilyProjectionRepository } from './family-projection.repository.js';

const RETRY_AFTER_SECONDS = 2;
/** Time after an unsuccessful wait during which further requests of the caller for the cloud do not wait. */
const FAILED_WAIT_TTL_MS = 60_000;
/** Length to which cloud ids are truncated in cache keys; no valid cloud id is longer. */
const MAX_CLOUD_ID_LENGTH = 128;

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
 * Authorizes access to a family cloud, of callers and of the holders of capability URLs. Every operation on a cloud
 * uses this service. A capability URL works without an access token, but only as long as its holder has access.
 */
@Injectable()
export class CloudAccessService {
  private readonly wait: MembershipWait;

  constructor(
    private readonly projections: FamilyProjectionRepository,
    familyEvents: FamilyEventMonitor,
    unitOfWork: McdiskUnitOfWork,
    private readonly authenticator: Authenticator,
  ) {
    this.wait = new MembershipWait(familyEvents, {
      unitOfWork,
      failedWaitTtlMs: FAILED_WAIT_TTL_MS,
      createNotReadyError: notReadyError,
    });
  }

  /**
   * Authorizes the caller. If the caller is not a known member, waits up to one second for the family's event. An
   * unknown cloud and the cloud of another family result in the same error, so that the response does not reveal which
   * clouds exist.
   * @throws ServiceError CLOUD_NOT_FOUND, or CLOUD_NOT_READY while family events lag
   */
  async authorize(cloudID: string, caller: Principal): Promise<CloudActor> {
    const actor = await this.findAfterWait(caller, cloudID, () => this.find(cloudID, caller));
    if (!actor) throw new ServiceError('CLOUD_NOT_FOUND');
    return actor;
  }

  /** @throws ServiceError CLOUD_NOT_FOUND, CLOUD_NOT_READY, or PERMISSION_MISSING for a member without the right */
  async authorizeFor(cloudID: string, caller: Principal, right: CloudRight): Promise<CloudActor> {
    const actor = await this.authorize(cloudID, caller);
    if (!hasRight(actor, right)) throw new ServiceError('PERMISSION_MISSING');
    return actor;
  }

  /**
   * Returns the caller's current actor without waiting, to check again an access that was authorized earlier.
   * @throws ServiceError CLOUD_NOT_READY under the same condition as {@link resolve}
   */
  async find(cloudID: string, caller: Pick<Principal, 'type' | 'id'>): Promise<CloudActor | undefined> {
    // PostgreSQL rejects NUL and lone surrogates; no valid id contains them.
    if (!cloudID.isWellFormed() || cloudID.includes('\u0000')) return undefined;
    const family = await this.projections.findWithCloud(cloudID);
    return family && this.resolve(family, caller);
  }

  /**
   * Returns the current actor of `caller` in the cloud of a family whose snapshot is already loaded; `undefined` for a
   * caller outside the family.
   * @throws ServiceError CLOUD_NOT_READY for a stored member while the projection of the family is unknown
   */
  resolve(family: FamilySnapshot, caller: Pick<Principal, 'type' | 'id'>): CloudActor | undefined {
    const actor = resolveActor(this.projections.currentSnapshot(family), caller);
    if (actor && !this.projections.canDecideAccess(family.familyId)) throw notReadyError();
    return actor;
  }

  /**
   * Waits for the caller's membership, as `authorize` does. Must be called before a transaction, because `authorize`
   * does not wait inside a transaction.
   */
  async waitForMembership(cloudID: string, caller: Principal): Promise<void> {
    try {
      await this.findAfterWait(caller, cloudID, () => this.find(cloudID, caller));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
  }

  /** Returns the caller's role and rights in each cloud that the caller belongs to. */
  async findAll(caller: Principal): Promise<CloudActor[]> {
    const found = await this.findAfterWait(caller, '', async () => {
      const families = await this.projections.findByPrincipal(principalKey(caller));
      return families.length > 0 ? families : undefined;
    });
    return (found ?? []).flatMap((family) => this.resolve(family, caller) ?? []);
  }

  /**
   * Returns the actor of a capability URL's holder, in a family whose snapshot is already loaded. Returns `undefined`
   * when the holder's session was revoked, or the holder is no member any more or does not have the right.
   * @throws ServiceError REVOCATIONS_STALE when the session cannot be verified
   * @throws ServiceError CLOUD_NOT_READY while the projection of the family is unknown
   */
  resolveHolder(holder: UrlHolder, family: FamilySnapshot, right: CloudRight): CloudActor | undefined {
    const principal = this.principalOf(holder);
    const actor = principal && this.resolve(family, principal);
    return actor && hasRight(actor, right) ? actor : undefined;
  }

  /**
   * Returns the principal for whom the URL was created, or `undefined` when their session was revoked.
   * @throws ServiceError REVOCATIONS_STALE when the session cannot be verified
   */
  principalOf(holder: Omit<UrlHolder, 'cloudId'>): Principal | undefined {
    const principal = { ...parsePrincipalKey(holder.principal), sessionId: holder.sessionId };
    return this.isSessionActive(principal, holder) ? principal : undefined;
  }

  /**
   * Calls `find` until it returns a result, for at most one second.
   * @param cloudId the requested cloud; empty for all clouds of the caller
   * @throws ServiceError CLOUD_NOT_READY while family events lag or too many requests wait
   */
  private findAfterWait<Found>(
    caller: Principal,
    cloudId: string,
    find: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    return this.wait.findAfterWait(principalKey(caller), cloudId.slice(0, MAX_CLOUD_ID_LENGTH), find);
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

function notReadyError(): ServiceError {
  return new ServiceError('CLOUD_NOT_READY', { retryAfter: RETRY_AFTER_SECONDS });
}
