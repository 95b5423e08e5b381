/**
 * A value in memory that is loaded again when it is older than `ttlMs`. The old value is returned meanwhile, so that
 * only the first caller waits. A failed load keeps the old value and is repeated after `ttlMs`.
 */
export class RefreshedValue<Value> {
  private value: { readonly loaded: Value } | undefined;
  private loadedAt = -Infinity;
  private loading: Promise<Value> | undefined;

  constructor(
    private readonly load: () => Promise<Value>,
    private readonly ttlMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @throws the error of the load if no load has succeeded yet */
  async get(): Promise<Value> {
    if (this.value === undefined) return this.share();
    if (this.now() - this.loadedAt > this.ttlMs) {
      this.loadedAt = this.now();
      this.share().catch(() => undefined);
    }
    return this.value.loaded;
  }

  /** Loads the value now; later calls of `get` return it. */
  async reload(): Promise<Value> {
    const loading = this.load();
    this.loading = loading;
    try {
      const loaded = await loading;
      // A load that began later has a newer value.
      if (this.loading === loading) {
        this.value = { loaded };
        this.loadedAt = this.now();
      }
      return loaded;
    } finally {
      if (this.loading === loading) this.loading = undefined;
    }
  }

  /** Concurrent callers share one load. */
  private share(): Promise<Value> {
    return this.loading ?? this.reload();
  }
}
