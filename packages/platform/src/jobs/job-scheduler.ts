import { Injectable, Logger, Global, Module } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { DiscoveryService, DiscoveryModule } from '@nestjs/core';
import { findDecoratedMethods } from '../process/decorated-methods.js';
import type { DecoratedMethod } from '../process/decorated-methods.js';
import { JobMetadata } from './on-job.decorator.js';

/**
 * Runs the methods that are decorated with `OnJob` while the application runs, one run of a method at a time. Several
 * replicas may run the same job concurrently.
 */
@Injectable()
export class JobScheduler implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly jobs = new Map<string, Job[]>();
  private isStarted = false;

  constructor(private readonly discovery: DiscoveryService) {}

  /** Starts all jobs except those that were stopped before. */
  async onApplicationBootstrap(): Promise<void> {
    this.isStarted = true;
    await Promise.all(this.findAll().map((job) => job.start()));
  }

  /** Stops all jobs before their dependencies are closed. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.findAll().map((job) => job.stop()));
  }

  /**
   * Runs a job now, or once more after its current run. Before the start and after the end of the application,
   * `trigger` does nothing.
   *
   * @throws Error if there is no job of that name
   */
  trigger(name: string): void {
    for (const job of this.find(name)) if (this.isStarted) job.trigger();
  }

  /**
   * Stops a job after its current run, or keeps it from starting.
   *
   * @throws Error if there is no job of that name
   */
  async stop(name: string): Promise<void> {
    await Promise.all(this.find(name).map((job) => job.stop()));
  }

  private find(name: string): readonly Job[] {
    this.findAll();
    const jobs = this.jobs.get(name);
    if (!jobs) throw new Error(`There is no job ${name}`);
    return jobs;
  }

  private findAll(): Job[] {
    if (this.jobs.size === 0) {
      for (const method of findDecoratedMethods<JobMetadata>(this.discovery, JobMetadata)) {
        const { name } = method.metadata;
        this.jobs.set(name, [...(this.jobs.get(name) ?? []), new Job(method)]);
      }
    }
    return [...this.jobs.values()].flat();
  }
}

/** One decorated method of one provider. */
class Job {
  private readonly logger: Logger;
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private currentRun: Promise<void> | undefined;
  private mustRunAgain = false;

  constructor(private readonly method: DecoratedMethod<JobMetadata>) {
    this.logger = new Logger(method.metadata.name);
  }

  async start(): Promise<void> {
    if (this.stopping.signal.aborted) return;
    const { intervalMs, runsAtStart } = this.method.metadata;
    this.timer = setInterval(() => void this.run(), intervalMs).unref();
    if (runsAtStart) await this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.timer);
    await this.currentRun;
  }

  trigger(): void {
    if (this.currentRun) this.mustRunAgain = true;
    else void this.run();
  }

  /** Returns when the current run, or a new one if there is none, has ended. */
  private run(): Promise<void> {
    this.currentRun ??= this.runUntilDone().finally(() => (this.currentRun = undefined));
    return this.currentRun;
  }

  private async runUntilDone(): Promise<void> {
    do {
      this.mustRunAgain = false;
      await this.runOnce();
    } while (this.mustRunAgain && !this.stopping.signal.aborted);
  }

  private async runOnce(): Promise<void> {
    const { signal } = this.stopping;
    if (signal.aborted) return;
    try {
      await this.method.call(Date.now(), signal);
    } catch (error) {
      this.logger.warn({ msg: 'Job failed', retryInMs: this.method.metadata.intervalMs, err: error });
    }
  }
}

/** Runs the jobs of all providers of the application, see `OnJob`. */
@Global()
@Module({ imports: [DiscoveryModule], providers: [JobScheduler], exports: [JobScheduler] })
export class JobsModule {}
