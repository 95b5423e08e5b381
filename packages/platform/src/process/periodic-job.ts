import { Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';

/**
 * Base of periodic work such as retention and rotation. Nest starts a job that is a provider with the application, and
 * stops the job before its dependencies are closed. Without Nest, the owner of a job must call `start` and `stop`.
 */
export abstract class PeriodicJob implements OnApplicationBootstrap, OnModuleDestroy {
  protected readonly logger = new Logger(this.constructor.name);
  private timer: NodeJS.Timeout | undefined;
  private currentRun: Promise<void> | undefined;

  /** @param intervalMs - milliseconds between the starts of two runs, and before the first run */
  protected constructor(private readonly intervalMs: number) {}

  /** Runs the job once. Several replicas may run the same job concurrently. */
  abstract run(): Promise<unknown>;

  async onApplicationBootstrap(): Promise<void> {
    await this.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.stop();
  }

  start(): Promise<void> {
    this.timer = setInterval(() => void this.runSafely(), this.intervalMs).unref();
    return Promise.resolve();
  }

  /** Stops the job after the current run. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.currentRun;
  }

  /** Runs the job once, logs a failure and never throws. Waits for the current run instead, if any. */
  protected runSafely(): Promise<void> {
    this.currentRun ??= this.runAndLogFailure().finally(() => (this.currentRun = undefined));
    return this.currentRun;
  }

  private async runAndLogFailure(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      this.logger.warn({ msg: 'Job failed', retryInMs: this.intervalMs, err: error });
    }
  }
}
