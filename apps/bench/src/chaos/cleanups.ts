/** Functions that stop or remove what has been started so far. */
export class Cleanups {
  private readonly functions: (() => Promise<unknown>)[] = [];

  add(cleanup: () => Promise<unknown>): void {
    this.functions.push(cleanup);
  }

  /** Runs all functions, the last added first, even if some of them fail. @throws AggregateError of all errors */
  async run(): Promise<void> {
    const errors: unknown[] = [];
    for (let cleanup = this.functions.pop(); cleanup; cleanup = this.functions.pop()) {
      try {
        await cleanup();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'Some parts could not be stopped');
  }
}
