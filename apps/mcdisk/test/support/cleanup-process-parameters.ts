import type { JWK } from 'jose';

/** Steps of garbage collection; the process crashes when it first reaches the configured step. */
export const COLLECTION_CRASH_POINTS = [
  'after condemned blobs are locked',
  'after the decision, before the commit',
  'after the commit, before bytes are deleted',
  'while bytes are deleted',
  'before blobs are marked gone',
  'after blobs are marked gone',
  'after the generation is incremented, before it is written',
  'while the generation is written',
] as const;

/** Steps of deleting and purging; the process crashes when it first reaches the configured step. */
type DeletionCrashPoint =
  | 'after recycling, before the commit'
  | 'after recycling, before the response'
  | 'after purging, before the commit'
  | 'after purging, before the response'
  | 'while a recycle bin is emptied';

/** Steps of the cleanup of a dissolved family; the process crashes when it first reaches the configured step. */
export const FAMILY_CLEANUP_CRASH_POINTS = [
  'while contents are recycled',
  'between two cleanup steps',
  'before the last rows are deleted',
  'after the last rows are deleted',
] as const;

export type CleanupCrashPoint =
  | (typeof COLLECTION_CRASH_POINTS | typeof FAMILY_CLEANUP_CRASH_POINTS)[number]
  | DeletionCrashPoint;

/** Start parameters of `cleanup-process.ts`, passed as JSON in its only argument. */
export interface CleanupProcessParameters {
  databaseUrl: string;
  dataDir: string;
  publicKey: JWK;
  crashPoint: CleanupCrashPoint;
  /** Current time for the jobs, Unix milliseconds. If absent, the node runs no jobs and only serves requests. */
  now?: number;
}
