import { randomUUID } from 'node:crypto';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import type { StreamPosition } from './event-bus.js';
import { quoteSchema } from './event-bus-schema.js';

/**
 * Exclusive right to relay for one app. At most one process holds the lease, and the lease expires unless renewed.
 * Expiry uses the database's clock, so the clocks of processes may differ.
 */
export class OutboxRelayLease {
  readonly holder = randomUUID();
  readonly #schema: string;
  #renewAt = 0;

  /** @param ttlMs - milliseconds after which a lease that is not renewed expires */
  constructor(
    private readonly scope: TransactionScope,
    private readonly ttlMs: number,
  ) {
    this.#schema = quoteSchema(scope.schema);
  }

  /** Acquires or renews the lease. Queries the database only after a third of the TTL has passed. */
  async acquireOrRenew(): Promise<'held' | 'renewed' | 'denied'> {
    const now = performance.now();
    if (now < this.#renewAt) return 'held';
    const rows = await this.scope.executor.query(
      `with lease as (
         insert into ${this.#schema}.relay as current (singleton, holder, expires_at)
         values (true, $1::uuid, clock_timestamp() + $2 * interval '1 millisecond')
         on conflict (singleton) do update set holder = excluded.holder, expires_at = excluded.expires_at
         where current.holder = excluded.holder or current.expires_at < clock_timestamp()
         returning holder
       )
       select holder from lease`,
      [this.holder, this.ttlMs],
    );
    this.#renewAt = rows.length > 0 ? now + this.ttlMs / 3 : 0;
    return rows.length > 0 ? 'renewed' : 'denied';
  }

  /** Releases the lease, so that another process can acquire it immediately. */
  async release(): Promise<void> {
    this.#renewAt = 0;
    await this.scope.executor.query(
      `update ${this.#schema}.relay set expires_at = '-infinity', holder = null where holder = $1::uuid`,
      [this.holder],
    );
  }

  /**
   * Stores the stream's position. Callers must act on the result in the same transaction.
   *
   * @returns `lost` if the stored position belongs to another stream or has a higher sequence
   */
  async recordStreamPosition(position: StreamPosition): Promise<'unchanged' | 'lost' | 'not held'> {
    const [row] = await this.scope.executor.query<{ stream_identity: string | null; stream_sequence: string }>(
      `select stream_identity, stream_sequence::text from ${this.#schema}.relay where holder = $1::uuid for update`,
      [this.holder],
    );
    if (!row) return 'not held';
    await this.scope.executor.query(
      `update ${this.#schema}.relay set stream_identity = $1, stream_sequence = $2::bigint`,
      [position.identity, position.sequence],
    );
    const unchanged =
      row.stream_identity === null ||
      (row.stream_identity === position.identity && position.sequence >= Number(row.stream_sequence));
    return unchanged ? 'unchanged' : 'lost';
  }

  /** Stores whether the outbox is full. While the outbox is full, every process of the app rejects new events. */
  async setOutboxFull(full: boolean): Promise<void> {
    await this.scope.executor.query(
      `update ${this.#schema}.relay set outbox_full = $1 where holder = $2::uuid and outbox_full <> $1`,
      [full, this.holder],
    );
  }
}
