/** Lets so many pieces of work run at once, the others in the order in which they came. */
export class Semaphore {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly places: number) {}

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.running >= this.places) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running += 1;
    try {
      return await work();
    } finally {
      // The place goes to the next in line, or is free again.
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}
