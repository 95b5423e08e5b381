/**
 * Sends cumulative acknowledgements, one at a time. The next acknowledgement covers the messages that were handled
 * while the previous acknowledgement was pending.
 */
export class CumulativeAck {
  private handledSeq = 0;
  private acknowledgedSeq = 0;
  /** Number of resets; identifies responses to acknowledgements that were sent before the last reset. */
  private resetCount = 0;
  private isSending = false;

  /** @param send - resolves when the service has stored the acknowledgement */
  constructor(private readonly send: (seq: number) => Promise<unknown>) {}

  /** Marks all messages up to `seq` as handled. */
  markHandled(seq: number): void {
    if (seq > this.handledSeq) this.handledSeq = seq;
    void this.sendPending();
  }

  /** Resends the last acknowledgement if the service has not responded to it. Called on each new connection. */
  resend(): void {
    void this.sendPending();
  }

  /** Restarts at sequence number zero. Must be called when the mailbox has a new epoch. */
  reset(): void {
    this.handledSeq = 0;
    this.acknowledgedSeq = 0;
    this.resetCount += 1;
  }

  private async sendPending(): Promise<void> {
    if (this.isSending) return;
    this.isSending = true;
    try {
      while (this.handledSeq > this.acknowledgedSeq) {
        const { handledSeq, resetCount: resets } = this;
        await this.send(handledSeq);
        if (resets === this.resetCount) this.acknowledgedSeq = handledSeq;
      }
    } catch {
      // A lost acknowledgement only makes the service redeliver messages, and is resent on the next connection.
    } finally {
      this.isSending = false;
    }
  }
}
