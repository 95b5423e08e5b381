import { Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';

/**
 * Work that a process repeats for as long as it runs: sweeps, retention, rotation. As a provider of Nest it starts
 * with the application and is over before anything that it needs is closed; elsewhere `start` and `stop` are called.
 */
export abstract class PeriodicJob implements OnApplicationBootstrap, OnModuleDestroy {
  protected readonly logger = new Logger(this.constructor.name);
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> | undefined;

  /** @param every Milliseconds between the beginnings of two rounds; the first one comes after as many. */
  protected constructor(private readonly every: number) {}

  /** One round. Every replica may run it at the same time. */
  abstract run(): Promise<unknown>;

  async onApplicationBootstrap(): Promise<void> {
    await this.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.stop();
  }

  start(): Promise<void> {
    this.timer = setInterval(() => void this.runSafely(), this.every).unref();
    return Promise.resolve();
  }

  /** Ends after the round under way. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.round;
  }

  /** One round that never throws: a failure is logged. Joins the round under way if there is one. */
  protected runSafely(): Promise<void> {
    this.round ??= this.runLogged().finally(() => (this.round = undefined));
    return this.round;
  }

  private async runLogged(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      this.logger.warn({ msg: 'Job failed', retryInMs: this.every, err: error });
    }
  }
}
