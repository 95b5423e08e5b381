/** Ids seen lately: the newest `size` at least, twice as many at most. */
export class RecentIdSet {
  private newer = new Set<string>();
  private older = new Set<string>();

  constructor(private readonly size: number) {}

  has(id: string): boolean {
    return this.newer.has(id) || this.older.has(id);
  }

  add(id: string): void {
    this.newer.add(id);
    if (this.newer.size < this.size) return;
    this.older = this.newer;
    this.newer = new Set();
  }
}
