import type { Session } from './session-store.js';

/** The most that a browser keeps of one kind, so that forgotten files do not fill its storage. */
const MAX_ITEMS = 500;
const MAX_BYTES = 512 * 1_024 * 1_024;

interface Item {
  readonly id: string;
  readonly file?: File | undefined;
}

/**
 * What a page does for a person, and what a later page continues if this one is closed before the end. Each item belongs
 * to one page at a time, so that two pages do not upload the same file: a page holds a lock with the id of the item, and
 * another page gets the lock when the first one is closed. Browsers offer locks only to pages of HTTPS and of this machine.
 */
export class UnfinishedWork<Stored extends Item> {
  /** The sizes of the kept items in bytes, by id. */
  private readonly sizes = new Map<string, number>();
  private readonly releases = new Map<string, () => void>();

  constructor(
    private readonly session: Pick<Session, 'userId' | 'storage' | 'ended'>,
    private readonly kind: 'message' | 'upload',
  ) {
    session.ended.addEventListener('abort', () => {
      for (const release of this.releases.values()) release();
    });
  }

  /**
   * Keeps an item, or its newer state.
   * @throws Error if the item exceeds the limits; DOMException if the browser cannot store it
   */
  async keep(item: Stored): Promise<void> {
    const { id, file } = item;
    if (!this.releases.has(id)) {
      const ending = this.hold(id);
      void navigator.locks?.request(this.lockOf(id), () => ending);
    }
    this.sizes.set(id, file?.size ?? 0);
    const bytes = [...this.sizes.values()].reduce((sum, size) => sum + size, 0);
    if (this.sizes.size > MAX_ITEMS || bytes > MAX_BYTES) {
      this.sizes.delete(id);
      throw new Error('Too much to keep');
    }
    await this.session.storage.set(this.kind, id, item);
  }

  /** Ends an item that is done or not wanted any more. */
  async forget(id: string): Promise<void> {
    this.sizes.delete(id);
    await this.session.storage.delete(this.kind, id);
    this.releases.get(id)?.();
    this.releases.delete(id);
  }

  /**
   * Passes the items of earlier pages to `adopt`. Resolves when those of closed pages have been passed. Those of open
   * pages follow when these are closed.
   */
  async restore(adopt: (item: Stored) => void, compare: (one: Stored, other: Stored) => number): Promise<void> {
    const items = await this.session.storage.list<Stored>(this.kind);
    for (const { id } of items.sort(compare)) await this.take(id, adopt);
  }

  /** Adopts an item now, or when its page is closed. */
  private take(id: string, adopt: (item: Stored) => void): Promise<void> {
    const { locks } = navigator;
    if (!locks) return this.adoptStored(id, adopt).then(() => undefined);
    const name = this.lockOf(id);
    const { ended: signal } = this.session;
    const adoptLater = () => locks.request(name, { signal }, async () => (await this.adoptStored(id, adopt))());
    return new Promise((resolve) => {
      const adopting = locks.request(name, { ifAvailable: true }, async (lock) => {
        if (!lock) {
          resolve();
          adoptLater().catch(() => undefined);
          return;
        }
        const untilEnd = await this.adoptStored(id, adopt).finally(resolve);
        await untilEnd();
      });
      adopting.catch(() => undefined);
    });
  }

  /** Returns a function that resolves when the item has ended here. */
  private async adoptStored(id: string, adopt: (item: Stored) => void): Promise<() => Promise<void>> {
    const { storage, ended } = this.session;
    // The other page may have finished it.
    const item = await storage.get<Stored>(this.kind, id);
    if (!item || ended.aborted) return () => Promise.resolve();
    this.sizes.set(id, item.file?.size ?? 0);
    const ending = this.hold(id);
    adopt(item);
    return () => ending;
  }

  /** Resolves when the item has ended here. */
  private hold(id: string): Promise<void> {
    return new Promise((resolve) => this.releases.set(id, resolve));
  }

  private lockOf(id: string): string {
    return `family-watch.${this.session.userId}.${this.kind}.${id}`;
  }
}
