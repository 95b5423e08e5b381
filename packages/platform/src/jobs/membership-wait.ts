import { LRUCache } from 'lru-cache';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { FamilyEventMonitor } from './family-event-monitor.js';

/** Maximum time for which a request waits for the family event that makes its caller a member. */
const MEMBERSHIP_WAIT_MS = 1_000;
/** Interval at which a waiting request queries the projection, because another replica may have handled the event. */
const POLL_INTERVAL_MS = 250;
/** Maximum number of waiting requests, in total and per principal; further requests fail. */
const MAX_WAITERS = 256;
const MAX_WAITERS_PER_PRINCIPAL = 32;
const MAX_CACHED_FAILED_WAITS = 10_000;

export interface MembershipWaitOptions {
  /** A request does not wait inside a transaction, because waiting transactions would exhaust the connection pool. */
  unitOfWork: { readonly isInTransaction: boolean };
  /** Milliseconds after an unsuccessful wait during which further requests of the caller do not wait. */
  failedWaitTtlMs: number;
  /** Returns the error, with status 503, while family events lag or too many requests wait. */
  createNotReadyError: () => ServiceError;
}

/**
 * Lets the requests of a caller who is no known member wait for the event of the caller's family, which may still be on
 * its way.
 */
export class MembershipWait {
  private readonly failedWaits: LRUCache<string, true>;

  constructor(
    private readonly familyEvents: FamilyEventMonitor,
    private readonly options: MembershipWaitOptions,
  ) {
    this.failedWaits = new LRUCache({ max: MAX_CACHED_FAILED_WAITS, ttl: options.failedWaitTtlMs });
  }

  /**
   * Calls `find` until it returns a result, for at most one second.
   * @param requested what the caller requests; an unsuccessful wait concerns only this
   * @throws ServiceError of `createNotReadyError` while family events lag or too many requests wait
   */
  async findAfterWait<Found>(
    principal: PrincipalKey,
    requested: string,
    find: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    const cacheKey = `${principal} ${requested}`;
    const deadline =
      this.options.unitOfWork.isInTransaction || this.failedWaits.has(cacheKey) ? 0 : Date.now() + MEMBERSHIP_WAIT_MS;
    for (;;) {
      const found = await find();
      if (found) return found;
      const remainingMs = deadline - Date.now();
      if (this.familyEvents.isLagging || this.hasTooManyWaiters(principal)) throw this.options.createNotReadyError();
      if (remainingMs <= 0) {
        if (deadline > 0) this.failedWaits.set(cacheKey, true);
        return undefined;
      }
      await this.familyEvents.waitForNext(principal, Math.min(remainingMs, POLL_INTERVAL_MS));
    }
  }

  private hasTooManyWaiters(principal: PrincipalKey): boolean {
    return (
      this.familyEvents.waiterCount >= MAX_WAITERS ||
      this.familyEvents.countWaiters(principal) >= MAX_WAITERS_PER_PRINCIPAL
    );
  }
}
