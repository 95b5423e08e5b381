import {
  Injectable,
  Logger,
  Global,
  Module,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { DiscoveryService, DiscoveryModule } from '@nestjs/core';
import { gauge, counter, histogram } from '../observability/instruments.js';
import { MetricsCollector } from './metrics-collector.js';
import { findDecoratedMethods, type DecoratedMethod } from './decorated-methods.js';
import type { JobWithQueue } from './job-queues.js';
import { JobMetadata } from './on-job.decorator.js';
import { QueuePoll, type FindDueJobs, type PolledJob } from './queue-poll.js';

/** Prometheus itself sets a label `job`, so the jobs of the service are in the label `job_name`. */
const DURATION = histogram('job_duration_seconds', 'Duration of the runs of a job.', ['app', 'job_name']);
const FAILURES = counter('job_failures_total', 'Failed runs of a job.', ['app', 'job_name']);
const LAST_SUCCESS = gauge(
  'job_last_success_timestamp_seconds',
  'End of the last successful run of a job; the start of the process before the first run.',
  ['app', 'job_name'],
);
const INTERVAL = gauge('job_interval_seconds', 'Time between the starts of two runs of a job.', ['app', 'job_name']);

/**
 * Runs the methods that are decorated with `OnJob` while the application runs, one run of a method at a time. Several
 * replicas may run the same job concurrently.
 */
@Injectable()
export class JobScheduler implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly jobs = new Map<string, Job[]>();
  private readonly queueChecks = new Map<string, FindDueJobs>();
  private readonly polls: QueuePoll[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  /**
   * Makes the jobs of an app that have a queue run only when one of their rows is due. Must be called before the
   * application starts.
   */
  useQueueCheck(app: string, findDue: FindDueJobs): void {
    this.queueChecks.set(app, findDue);
  }

  /** Starts all jobs except those that were stopped before. */
  async onApplicationBootstrap(): Promise<void> {
    const jobs = this.findAll();
    await Promise.all(jobs.map((job) => job.start({ isPolled: hasQueue(job) && this.queueChecks.has(job.app) })));
    for (const [app, findDue] of this.queueChecks) {
      const polled = jobs.filter((job) => job.app === app).filter(hasQueue);
      if (polled.length > 0) this.polls.push(new QueuePoll(polled, findDue));
    }
    for (const poll of this.polls) poll.start();
  }

  /** Stops the jobs that connected clients do not need. */
  async onModuleDestroy(): Promise<void> {
    const jobs = this.findAll().filter(({ metadata }) => !metadata.runsWhileClientsAreConnected);
    await Promise.all(jobs.map((job) => job.stop()));
  }

  /** Stops the remaining jobs, after the sockets and before the databases are closed. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([...this.polls, ...this.findAll()].map((each) => each.stop()));
  }

  /**
   * Runs a job now. If the job is running, it runs once more after the current run; if the application has not started,
   * it runs at the start. After the job was stopped, `trigger` does nothing.
   *
   * @throws Error if there is no job of that name
   */
  trigger(name: string): void {
    for (const job of this.find(name)) job.trigger();
  }

  /**
   * Stops a job after its current run. A job that is stopped before the application starts never runs.
   *
   * @throws Error if there is no job of that name
   */
  async stop(name: string): Promise<void> {
    await Promise.all(this.find(name).map((job) => job.stop()));
  }

  /** Returns the jobs of an app that process a queue. */
  findQueues(app: string): JobWithQueue[] {
    const jobs = this.findAll().filter((job) => job.app === app);
    return jobs.filter(hasQueue).map(({ metadata }) => metadata);
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

/** Maximum random delay of the first run, in addition to one interval, as a fraction of the interval. */
const MAX_START_DELAY_FRACTION = 0.25;

function hasQueue(job: Job): job is Job & PolledJob {
  return job.metadata.queue !== undefined;
}

/** One decorated method of one provider. */
class Job {
  private readonly logger: Logger;
  private readonly labels: { readonly app: string; readonly job_name: string };
  private readonly stopController = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private currentRun: Promise<void> | undefined;
  private isStarted = false;
  /** True if a run was requested during the current run or before the start. */
  private isTriggered = false;

  constructor(private readonly method: DecoratedMethod<JobMetadata>) {
    const { name } = this.metadata;
    this.logger = new Logger(name);
    this.labels = { app: name.slice(0, name.indexOf('.')), job_name: name };
    FAILURES.inc(this.labels, 0);
  }

  get metadata(): JobMetadata {
    return this.method.metadata;
  }

  get app(): string {
    return this.labels.app;
  }

  get isIdle(): boolean {
    return !this.currentRun && !this.stopController.signal.aborted;
  }

  /** @param isPolled - true if a `QueuePoll` runs the job, which then has no timer of its own */
  async start({ isPolled }: { isPolled: boolean }): Promise<void> {
    if (this.stopController.signal.aborted) return;
    const { intervalMs, firstRun = this.isTriggered ? 'at start' : 'after interval' } = this.metadata;
    INTERVAL.set(this.labels, intervalMs / 1_000);
    LAST_SUCCESS.setToCurrentTime(this.labels);
    this.isStarted = true;
    if (!isPolled) this.startTimer(intervalMs);
    if (firstRun === 'before start') await this.run();
    else if (firstRun === 'at start') void this.run();
  }

  private startTimer(intervalMs: number): void {
    // A random delay, because jobs with the same interval would otherwise always start in the same turn.
    const delayMs = Math.random() * intervalMs * MAX_START_DELAY_FRACTION;
    this.timer = setTimeout(() => {
      this.timer = setInterval(() => void this.run(), intervalMs).unref();
      void this.run();
    }, intervalMs + delayMs).unref();
  }

  async stop(): Promise<void> {
    this.stopController.abort();
    clearInterval(this.timer);
    await this.currentRun;
  }

  trigger(): void {
    this.isTriggered = true;
    if (this.isStarted) void this.run();
  }

  recordEmptyQueue(): void {
    LAST_SUCCESS.setToCurrentTime(this.labels);
  }

  /** Starts a run unless one is in progress; resolves when the run has ended. */
  run(): Promise<void> {
    this.currentRun ??= this.runUntilDone();
    return this.currentRun;
  }

  private async runUntilDone(): Promise<void> {
    do {
      this.isTriggered = false;
      await this.runOnce();
    } while (this.isTriggered && !this.stopController.signal.aborted);
    // `currentRun` must be cleared in the event loop turn that checks the condition, so that no trigger is lost.
    this.currentRun = undefined;
  }

  private async runOnce(): Promise<void> {
    const { signal } = this.stopController;
    if (signal.aborted) return;
    const endRun = DURATION.startTimer(this.labels);
    try {
      await this.method.call(Date.now(), signal);
      LAST_SUCCESS.setToCurrentTime(this.labels);
    } catch (error) {
      FAILURES.inc(this.labels);
      this.logger.warn({ msg: 'Job failed', retryInMs: this.metadata.intervalMs, err: error });
    } finally {
      endRun();
    }
  }
}

/**
 * Provides the scheduler, which runs the jobs of all providers of the application, see `OnJob`, and the metrics
 * collector, which calls their methods with `OnScrape`.
 */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [JobScheduler, MetricsCollector],
  exports: [JobScheduler, MetricsCollector],
})
export class JobsModule {}
