import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { BindCodeRepository } from './binding/bind-code.repository.js';
import { UsedNonceRepository } from './identity/used-nonce.repository.js';
import { WatchRepository } from './watch.repository.js';

/** Milliseconds. */
export const UNBOUND_WATCH_RETENTION_MS = 86_400_000;
const EVERY = 60_000;
const BATCH = 1_000;

/** Once a minute, what has run out is removed. */
@Injectable()
export class WatchExpiryJob extends PeriodicJob {
  constructor(
    private readonly watches: WatchRepository,
    private readonly codes: BindCodeRepository,
    private readonly nonces: UsedNonceRepository,
  ) {
    super(EVERY);
  }

  /** @returns how many unbound watches were forgotten, because they were silent for a day */
  async run(now = Date.now()): Promise<number> {
    await this.nonces.deleteExpired(now);
    await this.codes.deleteExpired(now);
    let total = 0;
    for (let forgotten = BATCH; forgotten === BATCH; total += forgotten)
      forgotten = await this.watches.deleteUnbound(now - UNBOUND_WATCH_RETENTION_MS, BATCH);
    return total;
  }
}
