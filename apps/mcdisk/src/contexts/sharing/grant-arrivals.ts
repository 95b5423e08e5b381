import { Injectable } from '@nestjs/common';

/** Requests that wait at a time; beyond, none waits. */
const MAX_WAITERS = 256;

/** When grants arrive here: lets a request that came before its grant wait for it. */
@Injectable()
export class GrantArrivals {
  private readonly waiting = new Map<string, Set<() => void>>();
  private waiters = 0;

  get isFull(): boolean {
    return this.waiters >= MAX_WAITERS;
  }

  arrived(contentIds: readonly string[]): void {
    for (const contentId of contentIds) this.waiting.get(contentId)?.forEach((resolve) => resolve());
  }

  /** Resolves with the next grant of this content, or after `milliseconds`. */
  next(contentId: string, milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const resolvers = this.waiting.get(contentId) ?? new Set();
      const done = () => {
        clearTimeout(timer);
        if (resolvers.delete(done)) this.waiters -= 1;
        if (resolvers.size === 0) this.waiting.delete(contentId);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      this.waiters += 1;
      this.waiting.set(contentId, resolvers.add(done));
    });
  }
}
