/** Set of recently added ids: contains at least the newest `size` ids and at most twice as many. */
export class RecentIdSet {
  private currentIds = new Set<string>();
  private previousIds = new Set<string>();

  constructor(private readonly size: number) {}

  has(id: string): boolean {
    return this.currentIds.has(id) || this.previousIds.has(id);
  }

  add(id: string): void {
    this.currentIds.add(id);
    if (this.currentIds.size < this.size) return;
    this.previousIds = this.currentIds;
    this.currentIds = new Set();
  }
}
