import type { JobQueueDto } from '@family-watch/domain/operators/dto/event-bus.dto';
import type { EventBusRuntime } from '@family-watch/event-bus/event-bus-runtime';
import type { DeliveryMeter } from '@family-watch/event-bus/event-consumer';
import type { Messaging } from '@family-watch/event-bus/messaging';
import { PARTITIONS } from '@family-watch/event-bus/partition';
import type { AppDatabase } from '../database/app-database.js';
import type { JobQueues } from '../jobs/job-queues.js';
import type { JobScheduler } from '../jobs/job-scheduler.js';
import { counter, DELAY_BUCKETS, gauge, histogram } from '../observability/instruments.js';
import { OnScrape } from '../jobs/on-scrape.decorator.js';

const BUS_CONNECTED = gauge('bus_connected', '1 while the event bus is connected.', ['app']);
const UNPUBLISHED = gauge('outbox_unpublished', 'Unpublished events by partition; counts up to 10,000.', [
  'app',
  'partition',
]);
const PUBLICATION_DELAY = gauge('outbox_delay_seconds', 'Age of the oldest unpublished event by partition.', [
  'app',
  'partition',
]);
const RETRIES = gauge('retry_queue', 'Events in the retry queue.', ['app']);
const DEAD_LETTERS = gauge('dead_letters', 'Dead letters.', ['app']);
const UNKNOWN_PROJECTIONS = gauge('unknown_projections', 'Keys whose projection is unknown.', ['app', 'projection']);
const REPAIRED = counter('projections_repaired_total', 'Objects of projections that were repaired.', ['app']);
const COMPARED = gauge('projections_compared_timestamp_seconds', 'Time of the last complete comparison.', ['app']);
const CONSUMER_PENDING = gauge(
  'consumer_pending_envelopes',
  'Envelopes on the bus that the app has not handled, when it received or handled the last one of the partition.',
  ['app', 'source', 'partition'],
);
const HANDLING_DELAY = histogram(
  'event_handling_delay_seconds',
  'Time from the append to the outbox until the consumer has handled the oldest event of an envelope.',
  ['app', 'source'],
  DELAY_BUCKETS,
);
const CONNECTIONS = gauge('database_connections', 'Open connections of the pool.', ['app', 'state']);
const POOL_SIZE = gauge('database_pool_size', 'Maximum number of connections of the pool.', ['app']);
const POOL_WAITING = gauge('database_waiting', 'Tasks that wait for a connection of the pool.', ['app']);
const QUEUE_DEPTH = gauge('job_queue_depth', 'Due rows of the job; counts up to 1,000.', ['app', 'job_name']);
const QUEUE_AGE = gauge('job_queue_age_seconds', 'Time since the oldest due row of the job became due.', [
  'app',
  'job_name',
]);

interface AppMetricsOptions {
  /** `userctx`, `mcdisk` or `gateway`. */
  readonly app: string;
  readonly database: AppDatabase;
  readonly queues: JobQueues;
  readonly messaging: Messaging;
  readonly events: EventBusRuntime;
}

/** Measures the infrastructure of one app: event bus, connection pool, and the rows that wait for jobs. */
export class AppMetrics {
  private repairedBefore = 0;

  constructor(
    private readonly options: AppMetricsOptions,
    private readonly jobs: JobScheduler,
  ) {}

  @OnScrape()
  async measureEventBus(): Promise<void> {
    const { app, messaging, events } = this.options;
    BUS_CONNECTED.set({ app }, messaging.pubSub.connected ? 1 : 0);
    const { backlog, retries, deadLetters, projections } = await events.status();
    for (let partition = 0; partition < PARTITIONS; partition += 1) {
      const waiting = backlog.find((each) => each.partition === partition);
      UNPUBLISHED.set({ app, partition: String(partition) }, waiting?.unpublished ?? 0);
      PUBLICATION_DELAY.set({ app, partition: String(partition) }, (waiting?.delayMs ?? 0) / 1_000);
    }
    RETRIES.set({ app }, retries);
    DEAD_LETTERS.set({ app }, deadLetters);
    if (!projections) return;
    for (const projection of projections.names)
      UNKNOWN_PROJECTIONS.set({ app, projection }, projections.unknown[projection] ?? 0);
    REPAIRED.inc({ app }, projections.repaired - this.repairedBefore);
    this.repairedBefore = projections.repaired;
    COMPARED.set({ app }, (projections.comparedAt ?? 0) / 1_000);
  }

  @OnScrape()
  measurePool(): void {
    const { app, database } = this.options;
    const { size, open, idle, waiting } = database.poolStatus;
    POOL_SIZE.set({ app }, size);
    CONNECTIONS.set({ app, state: 'idle' }, idle);
    CONNECTIONS.set({ app, state: 'used' }, open - idle);
    POOL_WAITING.set({ app }, waiting);
  }

  @OnScrape()
  async measureQueues(): Promise<void> {
    const { app } = this.options;
    for (const { job, due, oldestDueAt } of await this.findQueues()) {
      QUEUE_DEPTH.set({ app, job_name: job }, due);
      QUEUE_AGE.set({ app, job_name: job }, oldestDueAt === null ? 0 : (Date.now() - oldestDueAt) / 1_000);
    }
  }

  findQueues(): Promise<JobQueueDto[]> {
    const { app, queues } = this.options;
    return queues.measure(this.jobs.findQueues(app));
  }
}

/** Returns a meter of the envelopes that an app receives from the event bus. */
export function deliveryMeterOf(app: string): DeliveryMeter {
  return {
    received: ({ source, partition }, pending) =>
      CONSUMER_PENDING.set({ app, source, partition: String(partition) }, pending + 1),
    handled: ({ source, partition, events: [oldest] }, pending) => {
      CONSUMER_PENDING.set({ app, source, partition: String(partition) }, pending);
      if (oldest) HANDLING_DELAY.observe({ app, source }, Math.max(0, Date.now() - oldest.time) / 1_000);
    },
  };
}
