/** Sends cumulative acknowledgements, one at a time. What is handled meanwhile is part of the next one. */
export class CumulativeAck {
  private handledSeq = 0;
  private acknowledgedSeq = 0;
  /** Number of resets; tells a response to an acknowledgement from before the last reset apart. */
  private resets = 0;
  private running = false;

  /** @param send - resolves when the service has stored the acknowledgement */
  constructor(private readonly send: (seq: number) => Promise<unknown>) {}

  /** Marks everything up to `seq` as handled. */
  advance(seq: number): void {
    if (seq > this.handledSeq) this.handledSeq = seq;
    void this.run();
  }

  /** Sends an acknowledgement that a lost connection may have dropped. */
  resend(): void {
    void this.run();
  }

  /** Restarts at zero; call when the mailbox has a new epoch. */
  reset(): void {
    this.handledSeq = 0;
    this.acknowledgedSeq = 0;
    this.resets += 1;
  }

  private async run(): Promise<void> {
    if (this.running) return;
    this.running = true;
    try {
      while (this.handledSeq > this.acknowledgedSeq) {
        const { handledSeq, resets } = this;
        await this.send(handledSeq);
        if (resets === this.resets) this.acknowledgedSeq = handledSeq;
      }
    } catch {
      // Resent on the next connection. Until then the service only delivers the messages again.
    } finally {
      this.running = false;
    }
  }
}
