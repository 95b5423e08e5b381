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
