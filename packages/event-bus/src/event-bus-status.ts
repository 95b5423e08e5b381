import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { DeadLetterStore } from './dead-letters.js';
import { OutboxRepository } from './outbox.repository.js';
import type { ProjectionStatus } from './projection-monitor.js';
import { RetryQueueRepository } from './retry-queue.repository.js';

/** Maximum result of a count, so that a count reads at most this number of rows. */
const MAX_COUNT = 100_000;
/** Maximum number of unpublished events that are counted per partition. */
const MAX_COUNT_PER_PARTITION = 10_000;

/** Publication counts as delayed if the oldest unpublished event is older than this number of milliseconds. */
const DELAYED_AFTER_MS = 60_000;

/** Status of one app's events, for operators, readiness and metrics. */
export interface EventBusStatus {
  app: string;
  /** Number of unpublished events; counts up to 10,000 per partition. */
  unpublished: number;
  /** Age of the oldest unpublished event, milliseconds; 0 if all events are published. */
  publicationDelayMs: number;
  /** The partitions with unpublished events; `delayMs` is the age of the oldest event. */
  backlog: { partition: number; unpublished: number; delayMs: number }[];
  /** Number of events in the retry queue; counts up to 100,000. */
  retries: number;
  /** Number of dead letters; counts up to 100,000. */
  deadLetters: number;
  /** Absent if the app has no projections, or if the status was queried outside the app. */
  projections?: ProjectionStatus;
}

/** Queries the status of an app's outbox, retry queue and dead letters. */
export async function queryEventBusStatus(app: string, scope: TransactionScope): Promise<EventBusStatus> {
  const partitions = await new OutboxRepository(scope).findBacklog(MAX_COUNT_PER_PARTITION);
  const backlog = partitions.map(({ partition, unpublished, oldestAt }) => ({
    partition,
    unpublished,
    delayMs: Math.max(0, Date.now() - oldestAt),
  }));
  return {
    app,
    unpublished: backlog.reduce((sum, { unpublished }) => sum + unpublished, 0),
    publicationDelayMs: Math.max(0, ...backlog.map(({ delayMs }) => delayMs)),
    backlog,
    retries: await new RetryQueueRepository(scope).count(MAX_COUNT),
    deadLetters: await new DeadLetterStore(scope).count(MAX_COUNT),
  };
}

/** Returns one text per problem, with the name of the app; empty if there is no problem. */
export function findDegradations({ app, publicationDelayMs, deadLetters, projections }: EventBusStatus): string[] {
  const problems = {
    'dead letters': deadLetters > 0,
    'delayed publication': publicationDelayMs > DELAYED_AFTER_MS,
    'unknown projections': Object.keys(projections?.unknown ?? {}).length > 0,
  };
  return Object.entries(problems).flatMap(([problem, exists]) => (exists ? [`${app}: ${problem}`] : []));
}
