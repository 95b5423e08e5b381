/** Places for requests that wait: so many in the process, and so many for one cloud, which cannot take those of others. */
export class WaitSlots {
  private readonly taken = new Map<string, number>();
  private total = 0;

  constructor(private readonly limits: { total: number; ofCloud: number }) {}

  isFull(cloudId: string): boolean {
    return this.total >= this.limits.total || (this.taken.get(cloudId) ?? 0) >= this.limits.ofCloud;
  }

  /** Holds a place until `work` has settled; whether there is one is asked before. */
  async run<Result>(cloudId: string, work: () => Promise<Result>): Promise<Result> {
    this.add(cloudId, 1);
    try {
      return await work();
    } finally {
      this.add(cloudId, -1);
    }
  }

  private add(cloudId: string, change: number): void {
    const count = (this.taken.get(cloudId) ?? 0) + change;
    this.total += change;
    if (count > 0) this.taken.set(cloudId, count);
    else this.taken.delete(cloudId);
  }
}
