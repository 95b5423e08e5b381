import type { ErasureCounts, ErasureSubjects } from '@family-watch/domain/accounts/contracts/account-deletion';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';

/** An erasure that the app has not confirmed yet. */
export interface PendingErasure {
  receiptId: string;
  subjects: ErasureSubjects;
  /** What was erased so far. */
  counts: ErasureCounts;
}

const COLUMNS = 'receipt_id AS "receiptId", subjects, counts';

/** Stores the erasures of one app. Raw SQL: each app's schema has its own table. */
export class AccountErasureRepository {
  constructor(private readonly scope: TransactionScope) {}

  async exists(receiptId: string): Promise<boolean> {
    return (await this.query(`SELECT FROM ${this.table} WHERE receipt_id = $1`, [receiptId])).length > 0;
  }

  /** @param dueAt - when the next pass is due, Unix milliseconds */
  async insert({ receiptId, subjects, counts }: PendingErasure, dueAt: number): Promise<void> {
    await this.query(`INSERT INTO ${this.table} (receipt_id, subjects, counts, due_at) VALUES ($1, $2, $3, $4)`, [
      receiptId,
      JSON.stringify(subjects),
      JSON.stringify(counts),
      dueAt,
    ]);
  }

  /** Locks the erasure that has been due longest until the end of the transaction, and skips locked ones. */
  async lockDue(now: number): Promise<PendingErasure | undefined> {
    const sql = `SELECT ${COLUMNS} FROM ${this.table} WHERE due_at <= $1 ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED`;
    return (await this.query(sql, [now]))[0];
  }

  async existsForFamily(familyId: string): Promise<boolean> {
    return (await this.query(`SELECT FROM ${this.table} WHERE subjects -> 'familyIds' ? $1`, [familyId])).length > 0;
  }

  async lockByUser(userId: string): Promise<PendingErasure | undefined> {
    const sql = `SELECT ${COLUMNS} FROM ${this.table} WHERE subjects ->> 'userId' = $1 FOR UPDATE`;
    return (await this.query(sql, [userId]))[0];
  }

  /** @param dueAt - unchanged if undefined */
  async update(receiptId: string, counts: ErasureCounts, dueAt?: number): Promise<void> {
    await this.query(`UPDATE ${this.table} SET counts = $2, due_at = coalesce($3, due_at) WHERE receipt_id = $1`, [
      receiptId,
      JSON.stringify(counts),
      dueAt ?? null,
    ]);
  }

  async postpone(receiptId: string, dueAt: number): Promise<void> {
    await this.query(`UPDATE ${this.table} SET due_at = $2 WHERE receipt_id = $1`, [receiptId, dueAt]);
  }

  async delete(receiptId: string): Promise<void> {
    await this.query(`DELETE FROM ${this.table} WHERE receipt_id = $1`, [receiptId]);
  }

  private query(sql: string, parameters: unknown[]): Promise<PendingErasure[]> {
    return this.scope.executor.query<PendingErasure>(sql, parameters);
  }

  private get table(): string {
    return `${this.scope.schema}.account_erasure`;
  }
}
