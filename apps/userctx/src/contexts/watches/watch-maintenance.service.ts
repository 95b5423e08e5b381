import { Injectable, Logger } from '@nestjs/common';
import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import { BindCodeRepository } from './bind-code.repository.js';
import { UsedNonceRepository } from './used-nonce.repository.js';
import { WatchRepository } from './watch.repository.js';

/** Milliseconds. */
export const UNBOUND_LIFETIME = 86_400_000;
const EVERY = 60_000;
const BATCH = 1_000;

/** Once a minute, what has run out is removed. Safe on every replica at once. */
@Injectable()
export class WatchMaintenance implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(WatchMaintenance.name);
  private timer?: NodeJS.Timeout;
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly watches: WatchRepository,
    private readonly codes: BindCodeRepository,
    private readonly nonces: UsedNonceRepository,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => {
      this.running = this.attempt();
    }, EVERY).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** @returns how many unbound watches were forgotten, because they were silent for a day */
  async run(now = Date.now()): Promise<number> {
    await this.nonces.deleteExpired(now);
    await this.codes.deleteExpired(now);
    let total = 0;
    for (let forgotten = BATCH; forgotten === BATCH; total += forgotten)
      forgotten = await this.watches.forgetUnbound(now - UNBOUND_LIFETIME, BATCH);
    return total;
  }

  private async attempt(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      this.logger.warn(`Maintenance of watches failed and comes again: ${String(error)}`);
    }
  }
}
