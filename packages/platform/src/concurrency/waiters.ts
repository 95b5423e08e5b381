/** Lets requests wait for a notification of a key in this process, or until a timeout. */
export class Waiters<Key> {
  private readonly byKey = new Map<Key, Set<() => void>>();

  /** Returns the number of requests that wait for this key, or without `key` for any key. */
  count(key?: Key): number {
    if (key !== undefined) return this.byKey.get(key)?.size ?? 0;
    return [...this.byKey.values()].reduce((total, { size }) => total + size, 0);
  }

  /** Resolves with the next notification of this key, or after `milliseconds`. */
  wait(key: Key, milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.byKey.get(key) ?? new Set();
      const done = (): void => {
        clearTimeout(timer);
        waiting.delete(done);
        if (waiting.size === 0) this.byKey.delete(key);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      this.byKey.set(key, waiting.add(done));
    });
  }

  /** Ends the wait of all requests that wait for this key. */
  notify(key: Key): void {
    this.byKey.get(key)?.forEach((done) => done());
  }
}
