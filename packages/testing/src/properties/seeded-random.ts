/** Generates pseudo-random numbers that a seed reproduces, so that a failure can be repeated (mulberry32). */
export class SeededRandom {
  constructor(private state: number) {}

  /** Returns a number from 0 (included) to 1 (excluded). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  nextBetween(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  nextBoolean(probability: number): boolean {
    return this.next() < probability;
  }

  /** Returns a normally distributed number with mean 0 (Box–Muller). */
  nextNormal(deviation: number): number {
    return deviation * Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }
}
