import type { DehydratedState } from '@tanstack/react-query';
import { PersonStorage } from './person-storage.js';

/** What the console last knew from the service, for a start without a connection. */
export interface LastKnownData {
  /** When the page was last connected, Unix milliseconds. */
  readonly time: number;
  readonly state: DehydratedState;
}

/** Older data is not shown. */
export const MAX_AGE_MS = 7 * 24 * 60 * 60_000;
const ID = 'queries';
/** The URL of this script contains a digest, so that a build does not read the data of another one. */
const BUILD = import.meta.url;

export async function readLastKnownData(userId: string): Promise<LastKnownData | undefined> {
  const storage = new PersonStorage(userId, new AbortController().signal);
  const stored = await storage.get<LastKnownData & { build: string }>('last-known-data', ID);
  if (stored && stored.build === BUILD && stored.time > Date.now() - MAX_AGE_MS) return stored;
  await storage.delete('last-known-data', ID);
  return undefined;
}

export async function storeLastKnownData(storage: PersonStorage, data: LastKnownData): Promise<void> {
  // Without storage, the next page needs a connection.
  await storage.set('last-known-data', ID, { ...data, build: BUILD }).catch(() => undefined);
}
