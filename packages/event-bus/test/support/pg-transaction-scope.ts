import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import type { SqlExecutor, TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';

interface Unit {
  client: pg.PoolClient;
  callbacks: (() => void)[];
}

/** A transaction scope on bare `pg`, with a pool of its own as each process has. */
export class PgTransactionScope implements TransactionScope {
  readonly #pool: pg.Pool;
  readonly #units = new AsyncLocalStorage<Unit | null>();
  #dead = false;

  constructor(
    url: string,
    readonly schema: string,
  ) {
    this.#pool = new pg.Pool({ connectionString: url, max: 8 });
    // Connections that `die` destroys report errors that belong to nobody.
    this.#pool.on('error', () => undefined);
  }

  get isOpen(): boolean {
    return Boolean(this.#units.getStore());
  }

  get prepared(): SqlExecutor {
    return this.executor;
  }

  get executor(): SqlExecutor {
    const target = this.#units.getStore()?.client ?? this.#pool;
    return {
      query: async <Row>(sql: string, parameters: readonly unknown[] = []) => {
        if (this.#dead) throw new Error('The process is dead');
        const result = await target.query(sql, [...parameters]);
        if (this.#dead) throw new Error('The process is dead');
        return result.rows as Row[];
      },
    };
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.isOpen) return work();
    if (this.#dead) throw new Error('The process is dead');
    const client = await this.#pool.connect();
    const unit: Unit = { client, callbacks: [] };
    try {
      await client.query('begin');
      const result = await this.#units.run(unit, work);
      if (this.#dead) throw new Error('The process is dead');
      await client.query('commit');
      this.#units.run(null, () => unit.callbacks.forEach((callback) => callback()));
      client.release();
      return result;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      client.release(this.#dead);
      throw error;
    }
  }

  afterCommit(callback: () => void): void {
    this.#units.getStore()?.callbacks.push(callback);
  }

  /** From now on nothing of this process reaches the database; open transactions are rolled back. */
  die(): void {
    this.#dead = true;
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
