import type { Session } from '../../app/session/session-store.js';

/** Milliseconds for which a deleted child can be restored. */
export const RESTORE_WINDOW_MS = 7 * 86_400_000;

export interface DeletedChild {
  readonly cid: string;
  readonly familyId: string | null;
  /** When the child was deleted, in Unix milliseconds. */
  readonly time: number;
}

/**
 * The children that the person has deleted in this browser. The service has no list of them, and after the end of a
 * family the message centre has no entries of its children either.
 */
export class DeletedChildrenStore {
  private readonly key: string;

  constructor({ userId }: Session) {
    this.key = `family-watch.deleted-children.${userId}`;
  }

  list(): DeletedChild[] {
    const stored = JSON.parse(localStorage.getItem(this.key) ?? '[]') as DeletedChild[];
    return stored.filter(({ time }) => time > Date.now() - RESTORE_WINDOW_MS);
  }

  add(...children: Pick<DeletedChild, 'cid' | 'familyId'>[]): void {
    this.write([...this.list(), ...children.map((child) => ({ ...child, time: Date.now() }))]);
  }

  remove(cid: string): void {
    this.write(this.list().filter((child) => child.cid !== cid));
  }

  private write(children: readonly DeletedChild[]): void {
    localStorage.setItem(this.key, JSON.stringify(children));
  }
}
