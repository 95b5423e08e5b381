/** Runs at most `limit` tasks concurrently; further tasks wait in the order of their calls. */
export class Semaphore {
  private runningCount = 0;
  private readonly waitingTasks: (() => void)[] = [];

  constructor(private readonly limit: number) {}

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.runningCount >= this.limit) await new Promise<void>((resolve) => this.waitingTasks.push(resolve));
    else this.runningCount += 1;
    try {
      return await task();
    } finally {
      // The slot passes to the next waiting task, or becomes free.
      const next = this.waitingTasks.shift();
      if (next) next();
      else this.runningCount -= 1;
    }
  }
}
