/**
 * Marks the outbox rows at these positions as published, and stores the stream's sequence number after their
 * publication.
 */
export type ConfirmPublished = (positions: string[], sequence: number) => Promise<void>;

interface ConfirmationBatch {
  positions: string[];
  sequence: number;
  committed: Promise<void>;
}

/**
 * Collects confirmations that arrive during a commit and commits them together. Every confirmation locks the `relay`
 * row, so separate commits could not run concurrently.
 */
export class ConfirmationBatcher {
  #previous: Promise<void> = Promise.resolve();
  #openBatch: ConfirmationBatch | null = null;

  constructor(private readonly confirm: ConfirmPublished) {}

  /**
   * Adds a confirmation to the next commit; resolves once the rows at `positions` are marked as published.
   *
   * @param sequence - sequence number in the stream; null if the bus returned none
   */
  add(positions: readonly string[], sequence: number | null): Promise<void> {
    const batch = this.#openBatch ?? this.#startBatch();
    batch.positions.push(...positions);
    batch.sequence = Math.max(batch.sequence, sequence ?? 0);
    return batch.committed;
  }

  #startBatch(): ConfirmationBatch {
    const commit = async () => {
      this.#openBatch = null;
      await this.confirm(batch.positions, batch.sequence);
    };
    const batch: ConfirmationBatch = { positions: [], sequence: 0, committed: this.#previous.then(commit) };
    // The callers receive the error of their batch; the next batch starts even after a failure.
    this.#previous = batch.committed.catch(() => undefined);
    this.#openBatch = batch;
    return batch;
  }
}
