/** What the statements after a restore depend on. Times are Unix milliseconds. */
export interface RestoreContext {
  /** Time of the backup's snapshot. */
  snapshotAt: number;
  restoredAt: number;
  /** Whether everything that depends on the previous secrets ends. */
  renewsSecrets: boolean;
  /** Whether SECRET_KEY of the app is another one than at the time of the backup. */
  hasNewKey: boolean;
  /** Keys of the blobs whose bytes the blob store did not have at the time of the backup. */
  missingBlobs: readonly string[];
}

/** A statement that corrects restored rows of one schema. */
export interface RestoreStep {
  sql: string;
  parameters?: readonly unknown[];
  /** What the statement did, printed with the number of rows if it changed any. */
  report?: string;
}
