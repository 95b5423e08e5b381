import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { PeriodicJob } from '../process/periodic-job.js';
import { IdempotencyKeyRepository } from './idempotency-key.repository.js';

const HOUR_MS = 60 * 60 * 1_000;

/** Every hour: answers that are no longer repeated are forgotten. One for each app that has an `idempotencySchemaSql`. */
export class IdempotencyKeyPurgeJob extends PeriodicJob {
  private readonly keys: IdempotencyKeyRepository;

  constructor(scope: TransactionScope) {
    super(HOUR_MS);
    this.keys = new IdempotencyKeyRepository(scope);
  }

  run(): Promise<void> {
    return this.keys.purge();
  }
}
