import type { QueryClient, QueryKey } from '@tanstack/react-query';

/** Minimum time between two requests of the same data, milliseconds. */
const INTERVAL_MS = 1_000;

/**
 * Marks queries as stale: the first at once, further ones together after a second. Hundreds of messages may arrive at
 * once, for example after a reconnection, and each mark would request the data again.
 */
export class StaleQueries {
  private readonly waiting = new Map<string, QueryKey>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly queries: Pick<QueryClient, 'invalidateQueries'>) {}

  /** @param queryKeys - first parts of the keys */
  mark(queryKeys: readonly QueryKey[]): void {
    for (const queryKey of queryKeys) this.waiting.set(JSON.stringify(queryKey), queryKey);
    if (this.timer === undefined) this.flush();
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private flush(): void {
    this.timer = undefined;
    if (this.waiting.size === 0) return;
    for (const queryKey of this.waiting.values()) void this.queries.invalidateQueries({ queryKey });
    this.waiting.clear();
    this.timer = setTimeout(() => this.flush(), INTERVAL_MS);
  }
}
