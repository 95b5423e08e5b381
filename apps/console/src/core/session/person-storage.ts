import { createStore, get, promisifyRequest } from 'idb-keyval';

const store = createStore('family-watch-person', 'values');

/** What a person would lose with the page, and what the page shows without a connection. */
type Kind = 'text' | 'message' | 'upload' | 'sos-acknowledgement' | 'last-known-data';

/**
 * What this browser keeps for one person while no page is open. Another person who signs in here does not get it. A
 * sign-out deletes it (`forgetPerson`); after a session that ended otherwise, the person gets it back.
 */
export class PersonStorage {
  /** @param ended - aborted at the end of the session; nothing is written after that */
  constructor(
    private readonly userId: string,
    private readonly ended: AbortSignal,
  ) {}

  /** Returns all values of a kind; none if the browser permits no storage. */
  list<Value>(kind: Kind): Promise<Value[]> {
    const values = store('readonly', (entries) => promisifyRequest(entries.getAll(rangeOf(this.userId, kind))));
    return values.catch(() => []);
  }

  get<Value>(kind: Kind, id: string): Promise<Value | undefined> {
    return get<Value>([this.userId, kind, id], store).catch(() => undefined);
  }

  /** @throws DOMException if the browser permits no storage or has no space left */
  set(kind: Kind, id: string, value: unknown): Promise<void> {
    return this.write((entries) => entries.put(value, [this.userId, kind, id]));
  }

  delete(kind: Kind, id: string): Promise<void> {
    return this.write((entries) => entries.delete([this.userId, kind, id])).catch(() => undefined);
  }

  private async write(change: (entries: IDBObjectStore) => unknown): Promise<void> {
    if (!this.ended.aborted) await writeEntries(change);
  }
}

/** Deletes what this browser keeps for a person, or one kind of it. */
export function forgetPerson(userId: string, kind?: Kind): Promise<void> {
  return writeEntries((entries) => entries.delete(rangeOf(userId, kind))).catch(() => undefined);
}

/** The keys are `[userId, kind, id]`. IndexedDB orders an array after all texts. */
function rangeOf(userId: string, kind?: Kind): IDBKeyRange {
  const prefix = kind === undefined ? [userId] : [userId, kind];
  return IDBKeyRange.bound(prefix, [...prefix, []]);
}

function writeEntries(change: (entries: IDBObjectStore) => unknown): Promise<void> {
  return store('readwrite', (entries) => {
    change(entries);
    return promisifyRequest(entries.transaction);
  });
}
