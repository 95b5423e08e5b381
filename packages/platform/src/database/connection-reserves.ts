import { Semaphore } from '../process/semaphore.js';
import type { SemaphoreLimits } from '../process/semaphore.js';
import { currentWorkPriority } from '../process/work-priority.js';
import type { WorkPriority } from '../process/work-priority.js';
import type { ObtainedConnection } from './app-data-source.js';
import { DatabaseUnavailableError } from './database-unavailable.error.js';

/** Shares of a connection pool that requests of a priority, together with lower priorities, can occupy. */
const POOL_SHARES = { caller: 0.8, public: 0.4 };
/** A statement takes about a millisecond; a longer queue could only wait for a database that does not respond. */
const MAX_WAITING_REQUESTS = { caller: 2_000, public: 500 };

/** Returns how many connections of a pool work of each priority can occupy at once. */
function connectionLimits(poolSize: number): Record<WorkPriority, SemaphoreLimits> {
  const limit = (share: number): number => Math.max(1, Math.floor(poolSize * share));
  return {
    internal: { running: Infinity },
    caller: { running: limit(POOL_SHARES.caller), waiting: MAX_WAITING_REQUESTS.caller },
    public: { running: limit(POOL_SHARES.public), waiting: MAX_WAITING_REQUESTS.public },
  };
}

/**
 * Keeps connections of a pool free for work with a higher priority: unauthenticated requests cannot
 * occupy those of authenticated callers, and no request those of the service's own work.
 */
export class ConnectionReserves {
  private readonly slots: Semaphore<WorkPriority>;

  constructor(private readonly limits: { poolSize: number; waitMs: number }) {
    this.slots = new Semaphore(connectionLimits(limits.poolSize));
  }

  /**
   * Calls `obtain` as soon as the priority of the current work permits another connection.
   *
   * @throws DatabaseUnavailableError after `waitMs`
   * @throws ServiceError OVERLOADED immediately if too much work of this priority waits
   */
  async obtain(obtain: () => Promise<ObtainedConnection>): Promise<ObtainedConnection> {
    const workPriority = currentWorkPriority();
    if (workPriority === 'internal') return obtain();
    const timeout = { ms: this.limits.waitMs, error: () => new DatabaseUnavailableError() };
    const freeSlot = await this.slots.acquire(workPriority, timeout);
    try {
      const [connection, release] = await obtain();
      return [
        connection,
        (error) => {
          freeSlot();
          release(error);
        },
      ];
    } catch (error) {
      freeSlot();
      throw error;
    }
  }
}
