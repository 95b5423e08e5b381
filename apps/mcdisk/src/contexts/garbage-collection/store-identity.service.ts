import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { BlobMissingError, BlobStore } from '../blobs/blob-store.js';
import { StoreIdentityRepository } from './store-identity.repository.js';
import type { StoreIdentity } from './store-identity.repository.js';

/** Two places that take turns, so that one mark is whole while the other is written. */
const SLOTS = ['00000000-0000-8000-8000-000000000000', '00000000-0000-8000-8000-000000000001'] as const;
/** Longer than any mark, bytes. */
const MARK_BYTES = 256;
const EVERY_MS = 10 * 60_000;

/** What comparing the marks of database and store can say. */
export type StoreVerification =
  | { fits: true }
  | {
      fits: false;
      reason: string;
      /** What is written in the store; `undefined` when it has no mark. */
      stored?: StoreIdentity;
    };

/** Blobs that are no family's. */
export function isStoreIdentityKey(key: string): boolean {
  return (SLOTS as readonly string[]).includes(key);
}

/**
 * Tells whether database and store belong together. The database counts first, then the store is told. So a store
 * that is further than the database says that the database was restored from an older state: what looks unknown to it
 * may be what was acknowledged since, and nothing may be removed.
 */
@Injectable()
export class StoreIdentityService {
  constructor(
    private readonly marks: StoreIdentityRepository,
    private readonly store: BlobStore,
  ) {}

  async verify(): Promise<StoreVerification> {
    const inStore = await this.read();
    // Read after the store: the database is never behind a mark that it made itself.
    const known = await this.marks.find();
    if (!inStore && (known?.generation ?? 0) <= 1) return { fits: true };
    if (!inStore) return { fits: false, reason: 'the store has no mark: it is empty, or not the one of this database' };
    if (known?.storeId !== inStore.storeId) {
      return { fits: false, reason: 'the store is marked by another database', stored: inStore };
    }
    if (inStore.generation > known.generation) {
      const behind = inStore.generation - known.generation;
      return {
        fits: false,
        reason: `the database is older than the store, by ${behind} marks`,
        stored: inStore,
      };
    }
    return { fits: true };
  }

  /** Marks database and store, at most once in ten minutes however many processes ask. */
  async advanceGeneration(now: number): Promise<void> {
    const { fits } = await this.verify();
    const mark = fits ? await this.marks.advance(now - EVERY_MS, now) : undefined;
    if (mark) await this.write(mark);
  }

  /** Takes over a store that does not fit, on the word of an operator. */
  async adopt(now: number): Promise<void> {
    const inStore = await this.read();
    const known = await this.marks.find();
    if (!inStore && !known) return;
    const storeId = inStore?.storeId ?? known?.storeId ?? '';
    const mark = { storeId, generation: Math.max(inStore?.generation ?? 0, known?.generation ?? 0) + 1 };
    await this.marks.adopt(mark, now);
    await this.write(mark);
  }

  private async write(mark: StoreIdentity): Promise<void> {
    const key = SLOTS[mark.generation % 2 === 0 ? 0 : 1];
    const bytes = Buffer.from(JSON.stringify(mark));
    await this.store.discard(key);
    await this.store.stage(key, Readable.from([bytes]), MARK_BYTES);
    await this.store.promote(key);
  }

  private async read(): Promise<StoreIdentity | undefined> {
    const marks = await Promise.all(SLOTS.map((key) => this.readSlot(key)));
    return marks.filter((mark) => mark !== undefined).toSorted((a, b) => b.generation - a.generation)[0];
  }

  private async readSlot(key: string): Promise<StoreIdentity | undefined> {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of await this.store.open(key)) chunks.push(chunk as Buffer);
      return JSON.parse(Buffer.concat(chunks).toString()) as StoreIdentity;
    } catch (error) {
      // A mark that is being replaced is not there for a moment; the other one is.
      if (error instanceof BlobMissingError || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}
