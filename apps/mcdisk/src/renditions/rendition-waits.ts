import { EventEmitter } from 'node:events';
import { Injectable } from '@nestjs/common';
import { Waiters } from '@family-watch/platform/concurrency/waiters';

/**
 * Notifies listeners in the same process when renditions are requested or completed. Other processes poll the database
 * for new and completed renditions.
 */
@Injectable()
export class RenditionNotifier {
  private readonly requests = new EventEmitter<{ requested: [] }>();
  private readonly waiting = new Waiters<'completed'>();

  notifyRequested(): void {
    this.requests.emit('requested');
  }

  notifyCompleted(): void {
    this.waiting.notify('completed');
  }

  onRequested(listener: () => void): void {
    this.requests.on('requested', listener);
  }

  /** Resolves when the next rendition is completed, or after `ms` milliseconds. */
  waitForCompletion(ms: number): Promise<void> {
    return this.waiting.wait('completed', ms);
  }
}

/**
 * Slots for waiting requests, limited per process and per cloud, so that one cloud cannot use up the slots of other
 * clouds.
 */
export class WaitSlots {
  private readonly occupiedSlots = new Map<string, number>();
  private total = 0;

  constructor(private readonly limits: { total: number; perCloud: number }) {}

  isFull(cloudId: string): boolean {
    return this.total >= this.limits.total || (this.occupiedSlots.get(cloudId) ?? 0) >= this.limits.perCloud;
  }

  /** Occupies a slot while `work` runs. The caller must check `isFull` first. */
  async run<Result>(cloudId: string, work: () => Promise<Result>): Promise<Result> {
    this.changeCount(cloudId, 1);
    try {
      return await work();
    } finally {
      this.changeCount(cloudId, -1);
    }
  }

  private changeCount(cloudId: string, change: number): void {
    const count = (this.occupiedSlots.get(cloudId) ?? 0) + change;
    this.total += change;
    if (count > 0) this.occupiedSlots.set(cloudId, count);
    else this.occupiedSlots.delete(cloudId);
  }
}
