/** Tells the service how far was read: one acknowledgement at a time, and what was read meanwhile in the next. */
export class CumulativeAck {
  private wanted = 0;
  private said = 0;
  private numbering = 0;
  private running = false;

  /** @param send - resolves when the service has it on disk */
  constructor(private readonly send: (seq: number) => Promise<unknown>) {}

  /** Everything up to `seq` has been handled. */
  advance(seq: number): void {
    if (seq > this.wanted) this.wanted = seq;
    void this.run();
  }

  /** Says again what a lost connection may have swallowed. */
  resend(): void {
    void this.run();
  }

  /** Numbering began anew. */
  reset(): void {
    this.wanted = 0;
    this.said = 0;
    this.numbering += 1;
  }

  private async run(): Promise<void> {
    if (this.running) return;
    this.running = true;
    try {
      while (this.wanted > this.said) {
        const { wanted, numbering } = this;
        await this.send(wanted);
        if (numbering === this.numbering) this.said = wanted;
      }
    } catch {
      // The next connection repeats it; what is not acknowledged is only delivered again.
    } finally {
      this.running = false;
    }
  }
}
