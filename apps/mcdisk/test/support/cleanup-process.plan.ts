import type { JWK } from 'jose';

/** Steps of collecting; the process dies at the first one that is reached. */
export const COLLECTING = [
  'with condemned blobs locked',
  'decided, before the commit',
  'decided, before any bytes go',
  'while bytes go',
  'before they are gone',
  'after they are gone',
  'the mark counted, not written',
  'while the mark is written',
] as const;

/** Steps of deleting and purging. */
type Deleting =
  | 'recycled, before the commit'
  | 'recycled, before the answer'
  | 'purged, before the commit'
  | 'purged, before the answer'
  | 'while a bin is emptied';

/** Steps of the end of a family. */
export const ENDING = [
  'while contents are recycled',
  'between two steps',
  'before the last rows go',
  'after them',
] as const;

export type EndPoint = (typeof COLLECTING | typeof ENDING)[number] | Deleting;

/** What the process is started with, as JSON in its one argument. */
export interface EndingProcessPlan {
  databaseUrl: string;
  dataDir: string;
  publicKey: JWK;
  death: EndPoint;
  /** Unix milliseconds that the jobs take for now; absent: it only serves. */
  now?: number;
}
