import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { PeriodicJob } from '../process/periodic-job.js';
import { IdempotencyKeyRepository } from './idempotency-key.repository.js';

const INTERVAL_MS = 60 * 60 * 1_000;

/** Deletes expired idempotency keys every hour. Each app with an `idempotencySchemaSql` table must provide this job. */
export class IdempotencyKeyPurgeJob extends PeriodicJob {
  private readonly keys: IdempotencyKeyRepository;

  constructor(scope: TransactionScope) {
    super(INTERVAL_MS);
    this.keys = new IdempotencyKeyRepository(scope);
  }

  run(): Promise<void> {
    return this.keys.purge();
  }
}
