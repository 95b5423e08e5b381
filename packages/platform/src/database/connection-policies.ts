import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Client, DatabaseError, type Pool, type PoolClient } from 'pg';
import { Semaphore, type SemaphoreLimits } from '../concurrency/semaphore.js';
import { currentWork, WORK_PRIORITIES, type WorkPriority } from '../concurrency/work-priority.js';
import type { ObtainedConnection } from './app-data-source.js';
import { socketOf } from './connection.js';
import { DatabaseUnavailableError } from '../errors/database-errors.js';
import type { WaitLimit } from './wait-limit.js';

/**
 * Fractions of a connection pool: how much work of each priority may occupy at most, and how much other work leaves to
 * it. Requests of callers and of the public therefore always get connections, whatever the service's own work does, and
 * the reverse.
 */
const POOL_SHARES: Readonly<Record<WorkPriority, { running: number; reserved: number }>> = {
  internal: { running: 1, reserved: 0.2 },
  emergency: { running: 0.3, reserved: 0.1 },
  'known-device': { running: 0.3, reserved: 0.1 },
  caller: { running: 0.8, reserved: 0.2 },
  public: { running: 0.4, reserved: 0.2 },
};
/** A statement takes about a millisecond, so a longer queue only forms while the database does not respond. */
const MAX_WAITING_REQUESTS: Readonly<Record<WorkPriority, number>> = {
  internal: Infinity,
  emergency: 500,
  'known-device': 500,
  caller: 2_000,
  public: 500,
};
/**
 * Limits of one principal, or of one address of the public, behind which there may be many families. Most concurrent
 * requests of one principal would only wait for the locks of each other.
 */
const LIMITS_PER_PRINCIPAL = { running: 2, waiting: 100 };
const LIMITS_PER_ADDRESS = { running: 2, waiting: 250 };

/** Returns how many connections of a pool work of each priority can occupy at once. */
function connectionLimits(poolSize: number): Record<WorkPriority, SemaphoreLimits> {
  const limitsOf = (priority: WorkPriority): SemaphoreLimits => ({
    running: Math.max(1, Math.floor(poolSize * POOL_SHARES[priority].running)),
    reserved: Math.floor(poolSize * POOL_SHARES[priority].reserved),
    waiting: MAX_WAITING_REQUESTS[priority],
    perOwner: priority === 'public' ? LIMITS_PER_ADDRESS : LIMITS_PER_PRINCIPAL,
  });
  return Object.fromEntries(WORK_PRIORITIES.map((priority) => [priority, limitsOf(priority)])) as Record<
    WorkPriority,
    SemaphoreLimits
  >;
}

/** Shares the connections of a pool: between priorities of work, and between the owners of work. */
export class ConnectionReserves {
  private readonly semaphore: Semaphore<WorkPriority>;

  constructor(
    readonly poolSize: number,
    private readonly limit: WaitLimit,
  ) {
    this.semaphore = new Semaphore(connectionLimits(poolSize));
  }

  /** Number of tasks that wait until their priority permits another connection. */
  get waitingCount(): number {
    return this.semaphore.waitingCount;
  }

  /**
   * Calls `obtain` as soon as another connection is free for the priority and the owner of the current work.
   *
   * @throws the error of `WaitLimit` after its longest wait
   * @throws ServiceError OVERLOADED immediately if too much work of this priority waits
   * @throws ServiceError TOO_MANY_CONCURRENT_REQUESTS immediately if too much work of its owner waits
   */
  async obtain(obtain: () => Promise<ObtainedConnection>): Promise<ObtainedConnection> {
    const work = currentWork();
    const freeSlot = await this.semaphore.acquire(work.workPriority, this.limit.optionsFor(work));
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

const CHECK_INTERVAL_MS = 250;
const PROBE_INTERVAL_MS = 500;

export interface CircuitLimits {
  /** Milliseconds without a byte from the database, while connections are in use, until the circuit sends a probe. */
  readonly silenceMs: number;
  /** Milliseconds in which a new connection must respond to the probe. */
  readonly probeTimeoutMs: number;
}

/**
 * Rejects work immediately while the database does not respond, instead of after the timeout of each statement.
 *
 * A frozen server and a lost network look the same to the driver: no response and no error. If the connections in use
 * receive nothing for `silenceMs`, the circuit sends a probe on a new connection. If the probe gets no response, the
 * circuit opens: it destroys the connections of the pool, so their statements fail with a `DatabaseUnavailableError`,
 * and rejects further work with the same error. The circuit closes as soon as a probe gets a response.
 *
 * The circuit logs the begin and the end of each outage, also of a server that refuses connections.
 */
export class DatabaseCircuit {
  private readonly logger: Logger;
  private readonly clients = new Set<PoolClient>();
  private timer: NodeJS.Timeout | undefined;
  private receivedBytes = 0;
  /** Number of successive checks in which the connections in use received no byte. */
  private silentChecks = 0;
  private isProbing = false;
  /** For each caller that waits for a connection, a function that rejects the caller. */
  private readonly rejectWaiting = new Set<(error: Error) => void>();
  private isOpen = false;
  /** True from the first failed attempt to open a connection until an attempt succeeds. */
  private isUnavailable = false;
  /** Number of connections that have executed a statement. */
  private usableConnections = 0;

  constructor(private readonly options: CircuitLimits & { name: string; url: string }) {
    this.logger = new Logger(`Database:${options.name}`);
  }

  /** Registers a new connection of the pool, so that the checks count the bytes that it receives. */
  add(client: PoolClient): void {
    this.clients.add(client);
    client.once('end', () => this.clients.delete(client));
  }

  /** Must be called when a new connection has executed a statement: a server that shuts down may accept connections. */
  reportAvailable(): void {
    this.usableConnections += 1;
    if (!this.isUnavailable) return;
    this.isUnavailable = false;
    this.logger.log({ msg: 'Database is available again' });
  }

  /** Waits until the server has ended the connections of the pool. */
  async connectionsEnded(): Promise<void> {
    await Promise.all(Array.from(this.clients, (client) => new Promise((resolve) => client.once('end', resolve))));
  }

  /**
   * Obtains a connection of the pool by calling `obtain`, unless the circuit is open.
   *
   * @throws DatabaseUnavailableError while the circuit is open
   */
  obtain(obtain: () => Promise<ObtainedConnection>, pool: Pool | undefined): Promise<ObtainedConnection> {
    if (this.isOpen) return Promise.reject(new DatabaseUnavailableError());
    if (pool) this.startChecks(pool);
    const usableBefore = this.usableConnections;
    return new Promise((resolve, reject) => {
      let isAbandoned = false;
      const abandon = (error: Error): void => {
        isAbandoned = true;
        reject(error);
      };
      this.rejectWaiting.add(abandon);
      obtain()
        .finally(() => this.rejectWaiting.delete(abandon))
        .then(
          (connection) => {
            const [, release] = connection;
            if (isAbandoned) release();
            else resolve(connection);
          },
          (reason: unknown) => {
            const error = reason as Error;
            // The error of an attempt that began before a later one succeeded describes an outage that has ended.
            if (this.usableConnections === usableBefore) this.reportUnavailable(error);
            reject(error);
          },
        );
    });
  }

  /** Logs an outage once. A timeout is no outage, because all connections of the pool may be in use. */
  private reportUnavailable(error: Error): void {
    const { code } = error as { code?: unknown };
    if (this.isUnavailable || this.isOpen || typeof code !== 'string') return;
    this.isUnavailable = true;
    this.logger.error({ msg: 'Database is unavailable', code, reason: error.message });
  }

  /** Starts the checks of the pool, which end with the pool. */
  private startChecks(pool: Pool): void {
    if (this.timer) return;
    this.timer = setInterval(() => {
      if (pool.ended) clearInterval(this.timer);
      else this.check(pool);
    }, CHECK_INTERVAL_MS).unref();
  }

  private check(pool: Pool): void {
    const isInUse = pool.totalCount > pool.idleCount || pool.waitingCount > 0;
    const receivedBefore = this.receivedBytes;
    this.receivedBytes = [...this.clients].reduce((sum, client) => sum + socketOf(client).bytesRead, 0);
    // Silent checks are counted instead of elapsed milliseconds: if this process itself was suspended, it receives the
    // pending responses before the next checks, so the suspension does not count as silence.
    this.silentChecks = isInUse && this.receivedBytes === receivedBefore ? this.silentChecks + 1 : 0;
    if (this.silentChecks * CHECK_INTERVAL_MS < this.options.silenceMs || this.isProbing) return;
    this.isProbing = true;
    void this.testConnection(pool).finally(() => (this.isProbing = false));
  }

  private async testConnection(pool: Pool): Promise<void> {
    if (await this.probe()) {
      this.silentChecks = 0;
      return;
    }
    this.logger.error({ msg: 'Database does not respond, rejecting its work' });
    this.isOpen = true;
    for (const abandon of this.rejectWaiting) abandon(new DatabaseUnavailableError());
    for (const client of this.clients) socketOf(client).destroy();
    while (!pool.ended && !(await this.probe())) await sleep(PROBE_INTERVAL_MS, undefined, { ref: false });
    this.isOpen = false;
    this.silentChecks = 0;
    this.logger.log({ msg: 'Database responds again' });
  }

  /** Returns whether the server responds to a query on a new connection; an error response counts as well. */
  private async probe(): Promise<boolean> {
    const { url, probeTimeoutMs } = this.options;
    const client = new Client({
      connectionString: url,
      application_name: `family-watch:${this.options.name}:probe`,
      connectionTimeoutMillis: probeTimeoutMs,
      query_timeout: probeTimeoutMs,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('SELECT 1');
      return true;
    } catch (error) {
      return error instanceof DatabaseError;
    } finally {
      socketOf(client).destroy();
    }
  }
}
