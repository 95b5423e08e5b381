/** Actions that are carried out after a delay, so that a person can take them back. */
export class DelayedActions {
  private readonly pending = new Map<string, { run: () => void; timer: ReturnType<typeof setTimeout> }>();

  constructor(private readonly delayMs: number) {}

  schedule(id: string, run: () => void): void {
    this.pending.set(id, { run, timer: setTimeout(() => this.finish(id), this.delayMs) });
  }

  cancel(id: string): void {
    clearTimeout(this.pending.get(id)?.timer);
    this.pending.delete(id);
  }

  /** Carries out all actions at once; returns their ids. */
  finishAll(): string[] {
    const ids = [...this.pending.keys()];
    for (const id of ids) this.finish(id);
    return ids;
  }

  private finish(id: string): void {
    const action = this.pending.get(id);
    this.cancel(id);
    action?.run();
  }
}
