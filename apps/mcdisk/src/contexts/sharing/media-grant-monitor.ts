import { Injectable } from '@nestjs/common';

/** Notifies requests that wait for a grant when this process receives grants. */
@Injectable()
export class MediaGrantMonitor {
  private readonly waiting = new Map<string, Set<() => void>>();

  recordGrants(contentIds: readonly string[]): void {
    for (const contentId of contentIds) this.waiting.get(contentId)?.forEach((resolve) => resolve());
  }

  /** Resolves when the next grant of this content is received, or after `milliseconds`. */
  waitForNext(contentId: string, milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const resolvers = this.waiting.get(contentId) ?? new Set();
      const done = () => {
        clearTimeout(timer);
        resolvers.delete(done);
        if (resolvers.size === 0) this.waiting.delete(contentId);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      this.waiting.set(contentId, resolvers.add(done));
    });
  }
}
