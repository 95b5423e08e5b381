import type { ErasureCounts, ErasureSubjects } from '@family-watch/domain/kernel/contracts/account-erasure';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';

/** An erasure of the app. Times are Unix milliseconds. */
export interface StoredErasure {
  receiptId: string;
  subjects: ErasureSubjects;
  /** What was erased before the confirmation. */
  counts: ErasureCounts;
  /** When the account was erased. */
  erasedAt: number;
  /** When the app confirmed the erasure; null before. */
  confirmedAt: number | null;
  /** Number of passes that failed or had to wait since the last one that erased a row. */
  idlePasses: number;
}

const COLUMNS = `receipt_id AS "receiptId", subjects, counts, erased_at AS "erasedAt", confirmed_at AS "confirmedAt",
  idle_passes AS "idlePasses"`;

/** Stores the erasures of one app in the table of the app's schema. */
export class AccountErasureRepository {
  constructor(private readonly scope: TransactionScope) {}

  async lock(receiptId: string): Promise<StoredErasure | undefined> {
    return (await this.query(`SELECT ${COLUMNS} FROM ${this.table} WHERE receipt_id = $1 FOR UPDATE`, [receiptId]))[0];
  }

  /** @param dueAt - when the next pass is due, Unix milliseconds */
  async insert(
    { receiptId, subjects, counts, erasedAt }: Omit<StoredErasure, 'confirmedAt' | 'idlePasses'>,
    dueAt: number,
  ): Promise<void> {
    await this.query(
      `INSERT INTO ${this.table} (receipt_id, subjects, counts, erased_at, due_at) VALUES ($1, $2, $3, $4, $5)`,
      [receiptId, JSON.stringify(subjects), JSON.stringify(counts), erasedAt, dueAt],
    );
  }

  /** Locks the erasure that has been due longest until the end of the transaction, and skips locked ones. */
  async lockDue(now: number): Promise<StoredErasure | undefined> {
    const sql = `SELECT ${COLUMNS} FROM ${this.table} WHERE due_at <= $1 ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED`;
    return (await this.query(sql, [now]))[0];
  }

  async existsForFamily(familyId: string): Promise<boolean> {
    return (await this.query(`SELECT FROM ${this.table} WHERE subjects -> 'familyIds' ? $1`, [familyId])).length > 0;
  }

  /** Locks the erasure of the person that the app has not confirmed yet, if any. */
  async lockUnconfirmed(userId: string): Promise<StoredErasure | undefined> {
    const sql = `SELECT ${COLUMNS} FROM ${this.table}
      WHERE subjects ->> 'userId' = $1 AND confirmed_at IS NULL FOR UPDATE`;
    return (await this.query(sql, [userId]))[0];
  }

  async updateCounts(receiptId: string, counts: ErasureCounts): Promise<void> {
    await this.query(`UPDATE ${this.table} SET counts = $2 WHERE receipt_id = $1`, [receiptId, JSON.stringify(counts)]);
  }

  async update({ receiptId, counts, confirmedAt, idlePasses }: StoredErasure, dueAt: number): Promise<void> {
    await this.query(
      `UPDATE ${this.table} SET counts = $2, confirmed_at = $3, idle_passes = $4, due_at = $5 WHERE receipt_id = $1`,
      [receiptId, JSON.stringify(counts), confirmedAt, idlePasses, dueAt],
    );
  }

  /** Postpones an erasure whose pass failed, unless another process has continued it meanwhile. */
  async postpone({ receiptId, idlePasses }: StoredErasure, dueAt: number): Promise<void> {
    await this.query(
      `UPDATE ${this.table} SET due_at = $3, idle_passes = idle_passes + 1 WHERE receipt_id = $1 AND idle_passes = $2`,
      [receiptId, idlePasses, dueAt],
    );
  }

  async delete(receiptId: string): Promise<void> {
    await this.query(`DELETE FROM ${this.table} WHERE receipt_id = $1`, [receiptId]);
  }

  private query(sql: string, parameters: unknown[]): Promise<StoredErasure[]> {
    return this.scope.executor.query<StoredErasure>(sql, parameters);
  }

  private get table(): string {
    return `${this.scope.schema}.account_erasure`;
  }
}
