/** Confirms what was published: rows of the outbox and the stream's sequence after them. */
export type ConfirmPublished = (positions: string[], sequence: number) => Promise<void>;

interface Batch {
  positions: string[];
  sequence: number;
  done: Promise<void>;
}

/**
 * Collects confirmations that arrive while the previous ones are committed, and commits them together. All of them
 * lock the relay's row, so one by one they would only queue up there.
 */
export class ConfirmationBatcher {
  #previous: Promise<void> = Promise.resolve();
  #open: Batch | null = null;

  constructor(private readonly confirm: ConfirmPublished) {}

  /** Resolves once the rows are confirmed. */
  add(positions: readonly string[], sequence: number | null): Promise<void> {
    const batch = this.#open ?? this.#openBatch();
    batch.positions.push(...positions);
    batch.sequence = Math.max(batch.sequence, sequence ?? 0);
    return batch.done;
  }

  #openBatch(): Batch {
    const commit = async () => {
      this.#open = null;
      await this.confirm(batch.positions, batch.sequence);
    };
    const batch: Batch = { positions: [], sequence: 0, done: this.#previous.then(commit) };
    // Those who wait for the batch hear of its failure; the next batch starts all the same.
    this.#previous = batch.done.catch(() => undefined);
    this.#open = batch;
    return batch;
  }
}
