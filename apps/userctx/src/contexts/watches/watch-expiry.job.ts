import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { BindCodeRepository } from './binding/bind-code.repository.js';
import { UsedNonceRepository } from './identity/used-nonce.repository.js';
import { WatchRepository } from './watch.repository.js';

/** Milliseconds. */
export const UNBOUND_WATCH_RETENTION_MS = 86_400_000;
const INTERVAL_MS = 60_000;
const BATCH_SIZE = 1_000;

/** Deletes expired nonces and codes and unbound watches. Runs once a minute. */
@Injectable()
export class WatchExpiryJob extends PeriodicJob {
  constructor(
    private readonly watches: WatchRepository,
    private readonly codes: BindCodeRepository,
    private readonly nonces: UsedNonceRepository,
  ) {
    super(INTERVAL_MS);
  }

  /** @returns the number of deleted watches that were unbound and had no contact for a day */
  async run(now = Date.now()): Promise<number> {
    await this.nonces.deleteExpired(now);
    await this.codes.deleteExpired(now);
    let total = 0;
    for (let deleted = BATCH_SIZE; deleted === BATCH_SIZE; total += deleted)
      deleted = await this.watches.deleteUnbound(now - UNBOUND_WATCH_RETENTION_MS, BATCH_SIZE);
    return total;
  }
}
