import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { OnJob } from '../../jobs/on-job.decorator.js';

/** Milliseconds for which a stored response is returned for a repeated request. */
const IDEMPOTENCY_WINDOW_MS = 24 * 60 * 60 * 1000;
const PURGE_INTERVAL_MS = 60 * 60 * 1000;

/** A request with an idempotency key. */
export interface IdempotentRequest {
  principal: string;
  operation: string;
  key: string;
  /** SHA-256 of the request body. */
  digest: Buffer;
}

/** Stores idempotency keys with the responses of their requests. */
export class IdempotencyKeyRepository {
  constructor(private readonly scope: TransactionScope) {}

  /**
   * Claims the key for this request. `claim` waits until a concurrent request with the same key commits or rolls back,
   * so that only one request executes the operation.
   *
   * @returns undefined if the key is new; otherwise the digest and the response of the earlier request
   */
  async claim({
    principal,
    operation,
    key,
    digest,
  }: IdempotentRequest): Promise<{ digest: Buffer; response: unknown } | undefined> {
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
    const [row] = await this.scope.executor.query<{ digest: Buffer; response: unknown }>(
      `SELECT request_digest AS digest, answer AS response FROM ${this.scope.schema}.idempotency_key
        WHERE principal = $1 AND operation = $2 AND key = $3`,
      [principal, operation, key],
    );
    return row;
  }

  async storeResponse({ principal, operation, key }: IdempotentRequest, response: unknown): Promise<void> {
    await this.scope.executor.query(
      `UPDATE ${this.scope.schema}.idempotency_key SET answer = $4
        WHERE principal = $1 AND operation = $2 AND key = $3`,
      [principal, operation, key, JSON.stringify(response ?? {})],
    );
  }

  /**
   * Deletes expired keys. Each app with a table of `idempotencySchemaSql` must provide this class, so that the job
   * runs.
   */
  @OnJob('platform.idempotency-keys.purge', { intervalMs: PURGE_INTERVAL_MS })
  async purge(): Promise<void> {
    await this.scope.executor.query(`DELETE FROM ${this.scope.schema}.idempotency_key WHERE created_at < $1`, [
      Date.now() - IDEMPOTENCY_WINDOW_MS,
    ]);
  }
}
