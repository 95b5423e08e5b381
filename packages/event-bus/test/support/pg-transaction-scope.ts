import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import type { SqlExecutor, Statement, TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';

interface OpenTransaction {
  client: pg.PoolClient;
  callbacks: (() => void)[];
}

/** Transaction scope of one simulated process on plain `pg`, with its own pool. */
export class PgTransactionScope implements TransactionScope {
  readonly #pool: pg.Pool;
  readonly #transactions = new AsyncLocalStorage<OpenTransaction | null>();
  #hasCrashed = false;

  constructor(
    url: string,
    readonly schema: string,
  ) {
    this.#pool = new pg.Pool({ connectionString: url, max: 8 });
    // Connections that `crash` destroys emit errors that nothing else handles.
    this.#pool.on('error', () => undefined);
  }

  get isInTransaction(): boolean {
    return Boolean(this.#transactions.getStore());
  }

  get executor(): SqlExecutor {
    const target = this.#transactions.getStore()?.client ?? this.#pool;
    return {
      query: async <Row>(statement: Statement, parameters: readonly unknown[] = []) => {
        if (this.#hasCrashed) throw new Error('The process has crashed');
        const result = await target.query(typeof statement === 'string' ? statement : statement.sql, [...parameters]);
        if (this.#hasCrashed) throw new Error('The process has crashed');
        return result.rows as Row[];
      },
    };
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.isInTransaction) return work();
    if (this.#hasCrashed) throw new Error('The process has crashed');
    const client = await this.#pool.connect();
    const transaction: OpenTransaction = { client, callbacks: [] };
    try {
      await client.query('BEGIN');
      const result = await this.#transactions.run(transaction, work);
      if (this.#hasCrashed) throw new Error('The process has crashed');
      await client.query('COMMIT');
      this.#transactions.run(null, () => transaction.callbacks.forEach((callback) => callback()));
      client.release();
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      client.release(this.#hasCrashed);
      throw error;
    }
  }

  afterCommit(callback: () => void): void {
    this.#transactions.getStore()?.callbacks.push(callback);
  }

  /**
   * Simulates a crash of this process: open transactions are rolled back, and the process can no longer write to the
   * database.
   */
  crash(): void {
    this.#hasCrashed = true;
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
