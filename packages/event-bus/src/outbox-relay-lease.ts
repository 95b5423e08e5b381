import { randomUUID } from 'node:crypto';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import type { StreamPosition } from './event-bus.js';
import { quoteSchema } from './event-bus-schema.js';

/**
 * The right to relay for one app, held by one process at a time and lost when it is not renewed. The database's
 * clock decides about expiry, so processes need not agree on the time.
 */
export class OutboxRelayLease {
  readonly holder = randomUUID();
  readonly #schema: string;
  #renewAt = 0;

  /** @param milliseconds after which the lease of a dead holder is free */
  constructor(
    private readonly scope: TransactionScope,
    private readonly milliseconds: number,
  ) {
    this.#schema = quoteSchema(scope.schema);
  }

  /** Takes or renews the lease. Asks the database only when a third of the time has passed. */
  async acquireOrRenew(): Promise<'held' | 'renewed' | 'refused'> {
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
      [this.holder, this.milliseconds],
    );
    this.#renewAt = rows.length > 0 ? now + this.milliseconds / 3 : 0;
    return rows.length > 0 ? 'renewed' : 'refused';
  }

  /** Frees the lease, so that another process can go on at once. */
  async release(): Promise<void> {
    this.#renewAt = 0;
    await this.scope.executor.query(
      `update ${this.#schema}.relay set expires_at = '-infinity', holder = null where holder = $1::uuid`,
      [this.holder],
    );
  }

  /**
   * Notes what the stream is. Returns `lost` if an earlier relay had seen another stream, or this one with
   * more in it; to be called in the unit of work that acts on the answer.
   */
  async recordStreamPosition(position: StreamPosition): Promise<'known' | 'lost' | 'not held'> {
    const [row] = await this.scope.executor.query<{ stream_identity: string | null; stream_sequence: string }>(
      `select stream_identity, stream_sequence::text from ${this.#schema}.relay where holder = $1::uuid for update`,
      [this.holder],
    );
    if (!row) return 'not held';
    await this.scope.executor.query(
      `update ${this.#schema}.relay set stream_identity = $1, stream_sequence = $2::bigint`,
      [position.identity, position.sequence],
    );
    const known =
      row.stream_identity === null ||
      (row.stream_identity === position.identity && position.sequence >= Number(row.stream_sequence));
    return known ? 'known' : 'lost';
  }

  /** Tells every process of the app whether its outbox still takes events. */
  async setOutboxFull(full: boolean): Promise<void> {
    await this.scope.executor.query(
      `update ${this.#schema}.relay set outbox_full = $1 where holder = $2::uuid and outbox_full <> $1`,
      [full, this.holder],
    );
  }
}
