/**
 * Lets a loop wait until `notify` is called or a timeout has passed. A call of `notify` while the loop does not wait
 * ends the next wait of the loop.
 */
export class WakeSignal {
  #isNotified = false;
  #endWait: (() => void) | null = null;

  notify(): void {
    this.#isNotified = true;
    this.#endWait?.();
  }

  /** Resolves immediately if `notify` was called since the last wait. */
  async wait(milliseconds: number): Promise<void> {
    if (!this.#isNotified) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        this.#endWait = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#endWait = null;
    this.#isNotified = false;
  }
}
