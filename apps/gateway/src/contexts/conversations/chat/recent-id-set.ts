/** Set of recently added ids: contains at least the newest `size` ids and at most twice as many. */
export class RecentIdSet {
  private current = new Set<string>();
  private previous = new Set<string>();

  constructor(private readonly size: number) {}

  has(id: string): boolean {
    return this.current.has(id) || this.previous.has(id);
  }

  add(id: string): void {
    this.current.add(id);
    if (this.current.size < this.size) return;
    this.previous = this.current;
    this.current = new Set();
  }
}
