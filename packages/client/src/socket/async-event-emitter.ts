/** Typed callbacks by name. A callback that fails is told to `onFailure` and stops none of the others. */
export class AsyncEventEmitter<Events extends object> {
  private readonly callbacks = new Map<keyof Events, Set<(value: never) => unknown>>();

  constructor(private readonly onFailure: (error: unknown) => void) {}

  /** @returns removes the callback again */
  on<Name extends keyof Events>(name: Name, callback: (value: Events[Name]) => unknown): () => void {
    const known = this.callbacks.get(name) ?? new Set();
    this.callbacks.set(name, known.add(callback));
    return () => void known.delete(callback);
  }

  /** Resolves when every callback has finished, one after the other; never rejects. */
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
