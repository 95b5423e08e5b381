/** Lets one loop sleep until it is woken or a time has passed; a wake while it works is not lost. */
export class WakeSignal {
  #woken = false;
  #wakeUp: (() => void) | null = null;

  notify(): void {
    this.#woken = true;
    this.#wakeUp?.();
  }

  /** Resolves at once if `notify` was called since the last wait. */
  async wait(milliseconds: number): Promise<void> {
    if (!this.#woken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        this.#wakeUp = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#wakeUp = null;
    this.#woken = false;
  }
}
