/**
 * Typed event emitter that awaits callbacks. The emitter passes the error of a callback to `onFailure` and still runs
 * the other callbacks.
 */
export class AsyncEventEmitter<Events extends object> {
  private readonly callbacks = new Map<keyof Events, Set<(value: never) => unknown>>();

  constructor(private readonly onFailure: (error: unknown) => void) {}

  /** Adds a callback. @returns a function that removes the callback */
  on<Name extends keyof Events>(name: Name, callback: (value: Events[Name]) => unknown): () => void {
    const callbacks = this.callbacks.get(name) ?? new Set();
    this.callbacks.set(name, callbacks.add(callback));
    return () => void callbacks.delete(callback);
  }

  /** Calls the callbacks one after the other. Resolves when all callbacks have finished; never rejects. */
  async emit<Name extends keyof Events>(name: Name, value: Events[Name]): Promise<void> {
    for (const callback of this.callbacks.get(name) ?? []) {
      try {
        await (callback as (value: Events[Name]) => unknown)(value);
      } catch (error) {
        this.onFailure(error);
      }
    }
  }
}
