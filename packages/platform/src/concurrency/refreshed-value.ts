/** Milliseconds between the starts of loads until the first one succeeds. */
const FIRST_LOAD_INTERVAL_MS = 1_000;

/**
 * A value in memory that is loaded again when it is older than `ttlMs`. The old value is returned meanwhile, so that
 * only the callers before the end of the first load wait. A failed load keeps the old value and is repeated after
 * `ttlMs`; without a value, it is repeated after a second, and callers get its error at once.
 */
export class RefreshedValue<Value> {
  private value: { readonly loaded: Value } | undefined;
  private loadedAt = -Infinity;
  private loading: Promise<Value> | undefined;
  private failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly load: () => Promise<Value>,
    private readonly ttlMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @throws the error of the last load if no load has succeeded yet */
  async get(): Promise<Value> {
    if (!this.value && !this.failure) return this.share();
    if (this.now() - this.loadedAt > (this.value ? this.ttlMs : FIRST_LOAD_INTERVAL_MS)) {
      this.loadedAt = this.now();
      this.share().catch(() => undefined);
    }
    if (!this.value) throw this.failure?.error;
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
    } catch (error) {
      this.failure = { error };
      throw error;
    } finally {
      if (this.loading === loading) this.loading = undefined;
    }
  }

  /** Concurrent callers share one load. */
  private share(): Promise<Value> {
    return this.loading ?? this.reload();
  }
}
