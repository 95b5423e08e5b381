import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';

/** How long an answer is repeated. */
const IDEMPOTENCY_WINDOW_MS = 24 * 60 * 60 * 1000;

/** One use of a key: who, for what, and what was asked. */
export interface IdempotentRequest {
  principal: string;
  operation: string;
  key: string;
  /** SHA-256 of the request. */
  digest: Buffer;
}

/** Keys that callers sent with creates and sends, and the answers they got. */
export class IdempotencyKeyRepository {
  constructor(private readonly scope: TransactionScope) {}

  /**
   * Claims the key for this request. Waits for another request with the same key that is not committed yet, so of
   * two at once one does the work.
   *
   * @returns undefined when the key is new; otherwise what was asked and answered with it before
   */
  async claim({
    principal,
    operation,
    key,
    digest,
  }: IdempotentRequest): Promise<{ digest: Buffer; answer: unknown } | undefined> {
    const now = Date.now();
    const claimed = await this.scope.executor.query(
      `INSERT INTO ${this.scope.schema}.idempotency_key (principal, operation, key, request_digest, created_at)
       VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (principal, operation, key) DO UPDATE
         SET request_digest = EXCLUDED.request_digest, answer = NULL, created_at = EXCLUDED.created_at
         WHERE idempotency_key.created_at < $6
       RETURNING 1`,
      [principal, operation, key, digest, now, now - IDEMPOTENCY_WINDOW_MS],
    );
    if (claimed.length > 0) return undefined;
    const [row] = await this.scope.executor.query<{ digest: Buffer; answer: unknown }>(
      `SELECT request_digest AS digest, answer FROM ${this.scope.schema}.idempotency_key
        WHERE principal = $1 AND operation = $2 AND key = $3`,
      [principal, operation, key],
    );
    return row;
  }

  async storeResponse({ principal, operation, key }: IdempotentRequest, answer: unknown): Promise<void> {
    await this.scope.executor.query(
      `UPDATE ${this.scope.schema}.idempotency_key SET answer = $4
        WHERE principal = $1 AND operation = $2 AND key = $3`,
      [principal, operation, key, JSON.stringify(answer ?? {})],
    );
  }

  /** Deletes what is no longer repeated. */
  async purge(): Promise<void> {
    await this.scope.executor.query(`DELETE FROM ${this.scope.schema}.idempotency_key WHERE created_at < $1`, [
      Date.now() - IDEMPOTENCY_WINDOW_MS,
    ]);
  }
}
