import { AsyncLocalStorage } from 'node:async_hooks';
import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type {
  ChildRead,
  ChildReadEvents,
  ChildReadKind,
  ViewerKey,
} from '@family-watch/domain/privacy/contracts/child-read';
import type { DomainEvents } from '@family-watch/domain/events';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { NewEventOf } from '@family-watch/event-bus/event-map';
import type { Outbox } from '@family-watch/event-bus/outbox';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { entryLimit } from '../concurrency/entry-limit.js';

const HOUR_MS = 3_600_000;
/** Milliseconds for which reads are collected. A process that is killed loses the reads of this time. */
const FLUSH_DELAY_MS = 1_000;
/** Milliseconds after which a failed flush is repeated. */
const RETRY_DELAY_MS = 5_000;
/** Number of reads that are remembered, so that repeated reads within an hour cost no statement. */
const MAX_REMEMBERED_READS = 100_000;
/** Number of reads that wait while the database is unavailable; further reads are lost and reported in the log. */
const MAX_WAITING_READS = 100_000;
const MAX_READS_PER_EVENT = 200;

/**
 * Records who saw the data of children. A read adds to memory only; the first read of a viewer, child and kind in an hour
 * is published in an event within about a second.
 */
export class ChildReadRecorder {
  private readonly logger = new Logger(ChildReadRecorder.name);
  private readonly remembered = new LRUCache<string, true>(entryLimit(MAX_REMEMBERED_READS));
  private waiting: (ChildRead & { cid: string })[] = [];
  private timer: NodeJS.Timeout | undefined;
  private runningFlush: Promise<void> | undefined;
  private lostReads = 0;
  /** Runs the flush outside the transaction of the request that caused it. */
  private readonly runOutsideContext = AsyncLocalStorage.snapshot();

  constructor(
    private readonly app: 'userctx' | 'gateway' | 'mcdisk',
    private readonly unitOfWork: UnitOfWork,
    private readonly outbox: Outbox<DomainEvents>,
  ) {}

  /** Records that the caller saw data of the child. A watch acts for its child, so its own reads are not recorded. */
  recordCaller({ type, id }: Pick<Principal, 'type' | 'id'>, cid: string, kind: ChildReadKind): void {
    if (type === 'user') this.record(`user:${id}`, cid, kind);
  }

  /** @param requestedCid the child's id in either case, as clients may send it */
  record(viewer: ViewerKey, requestedCid: string, kind: ChildReadKind, now = Date.now()): void {
    const cid = requestedCid.toLowerCase();
    const hour = now - (now % HOUR_MS);
    const key = `${cid} ${viewer} ${kind} ${hour}`;
    if (this.remembered.has(key)) return;
    if (this.waiting.length >= MAX_WAITING_READS) {
      this.lostReads += 1;
      return;
    }
    this.remembered.set(key, true);
    this.waiting.push({ viewer, cid, kind, hour });
    this.runOutsideContext(() => this.schedule(FLUSH_DELAY_MS));
  }

  /** Publishes the recorded reads. If this fails, they are published later. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    // Another caller may begin the next flush first.
    while (this.runningFlush) await this.runningFlush;
    if (this.waiting.length === 0) return;
    this.runningFlush = this.runOutsideContext(() => this.publish()).finally(() => (this.runningFlush = undefined));
    await this.runningFlush;
  }

  private schedule(delayMs: number): void {
    this.timer ??= setTimeout(() => void this.flush(), delayMs).unref();
  }

  private async publish(): Promise<void> {
    const reads = this.waiting;
    this.waiting = [];
    try {
      await this.unitOfWork.run(() => this.outbox.appendMany(toEvents(this.app, reads)));
    } catch (err) {
      this.waiting = [...reads, ...this.waiting];
      this.logger.warn({ msg: 'Reads of children’s data could not be stored yet', reads: this.waiting.length, err });
      this.schedule(RETRY_DELAY_MS);
    }
    if (this.lostReads === 0) return;
    this.logger.error({ msg: 'Reads of children’s data were not recorded', reads: this.lostReads });
    this.lostReads = 0;
  }
}

function toEvents(
  app: 'userctx' | 'gateway' | 'mcdisk',
  reads: readonly (ChildRead & { cid: string })[],
): NewEventOf<DomainEvents>[] {
  const name: keyof ChildReadEvents = `${app}.child-data.read`;
  return [...Map.groupBy(reads, ({ cid }) => cid)].flatMap(([cid, ofChild]) => {
    const all = ofChild.map(({ viewer, kind, hour }) => ({ viewer, kind, hour }));
    const parts = Array.from({ length: Math.ceil(all.length / MAX_READS_PER_EVENT) }, (_, index) =>
      all.slice(index * MAX_READS_PER_EVENT, (index + 1) * MAX_READS_PER_EVENT),
    );
    return parts.map((part) => ({ name, key: cid, payload: { cid, reads: part } }));
  });
}
