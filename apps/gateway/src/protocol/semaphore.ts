/** Runs at most `limit` tasks concurrently; further tasks wait in the order of their calls. */
export class Semaphore {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly limit: number) {}

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.running >= this.limit) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running += 1;
    try {
      return await task();
    } finally {
      // The slot passes to the next waiting task, or becomes free.
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}
