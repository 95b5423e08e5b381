import type { UnitOfWork } from '../database/unit-of-work.js';

/** Returns the first rows after the given one, in the order of a unique key. */
export type FindPage<Row> = (after: Row | undefined) => Promise<Row[]>;

/**
 * Reads rows page by page until a page is empty. Each page begins after the last row of the page before it, so rows
 * that stay due because their processing failed do not prevent the following rows from being read.
 */
export async function* readPages<Row>(findPage: FindPage<Row>): AsyncGenerator<Row[]> {
  for (let page = await findPage(undefined); page.length > 0; page = await findPage(page.at(-1))) yield page;
}

/** Processes rows one after the other. A row whose processing fails is passed to `onFailure` and delays no other row. */
export async function processRows<Row>(
  findPage: FindPage<Row>,
  process: (row: Row) => Promise<void>,
  onFailure: (row: Row, error: unknown) => void,
): Promise<void> {
  for await (const page of readPages(findPage)) {
    for (const row of page) await process(row).catch((error: unknown) => onFailure(row, error));
  }
}

/** How {@link processDueRow} finds and processes the rows of a queue. */
export interface DueRowProcessing<Row> {
  /** Locks the row that has been due longest until the end of the transaction. */
  lockDue(): Promise<Row | null | undefined>;
  /** Processes the locked row in the same transaction. */
  process(row: Row): Promise<void>;
  /** Postpones a row whose processing failed and was rolled back, so that the row delays no other. */
  onFailure(row: Row, error: unknown): Promise<void>;
}

/** Processes the row that has been due longest in one transaction. Returns false if no row is due. */
export async function processDueRow<Row>(
  unitOfWork: Pick<UnitOfWork, 'run'>,
  steps: DueRowProcessing<Row>,
): Promise<boolean> {
  const locked: { row?: Row | null } = {};
  try {
    await unitOfWork.run(async () => {
      locked.row = await steps.lockDue();
      if (locked.row) await steps.process(locked.row);
    });
  } catch (error) {
    if (!locked.row) throw error;
    await steps.onFailure(locked.row, error);
  }
  return Boolean(locked.row);
}

/** How {@link ConcurrentRows} claims and processes the rows of a queue. */
export interface ConcurrentRowProcessing<Row> {
  /** Maximum number of rows that are processed at the same time. */
  readonly maxRunning: number;
  /**
   * Claims at most `limit` due rows, of different keys, and none with one of the given keys. Nobody else may claim them
   * before their processing must have ended.
   */
  claim(limit: number, exceptKeys: readonly string[]): Promise<readonly Row[]>;
  /** Whose row it is, such as a person: the rows of one key are processed one after the other. */
  keyOf(row: Row): string;
  process(row: Row): Promise<void>;
  onFailure(row: Row, error: unknown): void;
  /** Called when the processing of a row has ended, so that another row can be claimed. */
  onFree?(): void;
}

/** Keys of which a round of {@link ConcurrentRows} remembers that a row was claimed. */
const MAX_KEYS_OF_ROUND = 1_000;

/**
 * Processes rows that take long because they wait for an address outside the service. The rows are independent: no row
 * waits for one of another key while fewer than `maxRunning` are processed, and the rows of one key occupy one place.
 * Rows are claimed in rounds, one of each key, so that a key with many due rows delays no other.
 */
export class ConcurrentRows<Row> {
  private readonly running = new Map<string, Promise<void>>();
  private readonly claimedInRound = new Set<string>();
  private claiming: Promise<void> | undefined;
  private isStopped = false;

  constructor(private readonly steps: ConcurrentRowProcessing<Row>) {}

  /** Claims due rows and starts to process them, until all places are occupied or no row is due. */
  async startDue(): Promise<void> {
    this.claiming ??= this.claimDue().finally(() => (this.claiming = undefined));
    await this.claiming;
  }

  /** Claims no further rows; resolves when the processing of the claimed rows has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.claiming?.catch(() => undefined);
    await Promise.all(this.running.values());
  }

  private async claimDue(): Promise<void> {
    for (;;) {
      const free = this.steps.maxRunning - this.running.size;
      if (free <= 0 || this.isStopped) return;
      const exceptKeys = new Set([...this.running.keys(), ...this.claimedInRound]);
      const claimed = await this.steps.claim(free, [...exceptKeys]);
      for (const row of claimed) this.start(row);
      if (claimed.length > 0 && this.claimedInRound.size < MAX_KEYS_OF_ROUND) continue;
      // The next round begins with the keys of the last one, unless all of them are being processed.
      const hasMore = [...this.claimedInRound].some((key) => !this.running.has(key));
      this.claimedInRound.clear();
      if (!hasMore && claimed.length === 0) return;
    }
  }

  private start(row: Row): void {
    const key = this.steps.keyOf(row);
    this.claimedInRound.add(key);
    const processing = this.steps
      .process(row)
      .catch((error: unknown) => this.steps.onFailure(row, error))
      .finally(() => {
        this.running.delete(key);
        this.steps.onFree?.();
      });
    this.running.set(key, processing);
  }
}
