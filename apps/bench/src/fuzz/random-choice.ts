import { SeededRandom } from '@family-watch/testing/properties/seeded-random';

/** Random choices of one iteration. */
export class RandomChoice {
  private readonly random: SeededRandom;

  constructor(seed: number) {
    this.random = new SeededRandom(seed);
    // The first numbers of neighbouring seeds resemble each other.
    for (let skipped = 0; skipped < 4; skipped += 1) this.random.next();
  }

  /** Returns true with this probability. */
  chance(probability: number): boolean {
    return this.random.next() < probability;
  }

  /** Returns an integer from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return Math.floor(low + this.random.next() * (high - low + 1));
  }

  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new Error('Nothing to choose from');
    return items[this.integer(0, items.length - 1)] as Item;
  }

  /** Returns random bytes as Latin-1 text. */
  bytes(length: number): string {
    return String.fromCharCode(...Array.from({ length }, () => this.integer(0, 255)));
  }

  uuid(): string {
    const digits = Array.from({ length: 32 }, () => this.integer(0, 15).toString(16)).join('');
    return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-a$4-$5');
  }
}
