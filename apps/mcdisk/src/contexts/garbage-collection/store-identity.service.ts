import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { BlobMissingError, BlobStore } from '../blobs/blob-store.js';
import { StoreIdentityRepository } from './store-identity.repository.js';
import type { StoreIdentity } from './store-identity.repository.js';

/**
 * Keys of the two copies of the identity, which are written alternately, so that one copy is complete while the other
 * is written.
 */
const SLOTS = ['00000000-0000-8000-8000-000000000000', '00000000-0000-8000-8000-000000000001'] as const;
/** Maximum size of a stored identity, bytes. */
const MAX_IDENTITY_BYTES = 256;
const INTERVAL_MS = 10 * 60_000;

/** Result of comparing the identities of database and store. */
export type StoreVerification =
  | { fits: true }
  | {
      fits: false;
      reason: string;
      /** The identity in the store, or `undefined` when the store has none. */
      stored?: StoreIdentity;
    };

/** Returns whether the key belongs to the store identity and not to a family's blob. */
export function isStoreIdentityKey(key: string): boolean {
  return (SLOTS as readonly string[]).includes(key);
}

/**
 * Verifies that database and store belong together. The database increments the generation first, and then the store
 * gets a copy. A store with a higher generation than the database therefore means that the database was restored from a
 * backup. Bytes without a row may then belong to uploads that were acknowledged after the backup, so nothing may be
 * deleted.
 */
@Injectable()
export class StoreIdentityService {
  constructor(
    private readonly repository: StoreIdentityRepository,
    private readonly store: BlobStore,
  ) {}

  async verify(): Promise<StoreVerification> {
    const inStore = await this.read();
    // The database is read after the store, because the opposite order could find a new generation in the store but not
    // in the database.
    const inDatabase = await this.repository.find();
    if (!inStore && (inDatabase?.generation ?? 0) <= 1) return { fits: true };
    if (!inStore)
      return { fits: false, reason: 'the store has no identity: it is empty, or belongs to another database' };
    if (inDatabase?.storeId !== inStore.storeId) {
      return { fits: false, reason: 'the store belongs to another database', stored: inStore };
    }
    if (inStore.generation > inDatabase.generation) {
      const behind = inStore.generation - inDatabase.generation;
      return {
        fits: false,
        reason: `the database is older than the store, by ${behind} generations`,
        stored: inStore,
      };
    }
    return { fits: true };
  }

  /** Writes a new generation to database and store, at most once in ten minutes across all processes. */
  async advanceGeneration(now: number): Promise<void> {
    const { fits } = await this.verify();
    const identity = fits ? await this.repository.advance(now - INTERVAL_MS, now) : undefined;
    if (identity) await this.write(identity);
  }

  /**
   * Adopts a store whose identity does not match the database. Only for an operator who has verified that the store
   * belongs to this database.
   */
  async adopt(now: number): Promise<void> {
    const inStore = await this.read();
    const inDatabase = await this.repository.find();
    if (!inStore && !inDatabase) return;
    const storeId = inStore?.storeId ?? inDatabase?.storeId ?? '';
    const identity = { storeId, generation: Math.max(inStore?.generation ?? 0, inDatabase?.generation ?? 0) + 1 };
    await this.repository.adopt(identity, now);
    await this.write(identity);
  }

  private async write(identity: StoreIdentity): Promise<void> {
    const key = SLOTS[identity.generation % 2 === 0 ? 0 : 1];
    const bytes = Buffer.from(JSON.stringify(identity));
    await this.store.discard(key);
    await this.store.stage(key, Readable.from([bytes]), MAX_IDENTITY_BYTES);
    await this.store.promote(key);
  }

  private async read(): Promise<StoreIdentity | undefined> {
    const identities = await Promise.all(SLOTS.map((key) => this.readSlot(key)));
    return identities.filter((identity) => identity !== undefined).toSorted((a, b) => b.generation - a.generation)[0];
  }

  private async readSlot(key: string): Promise<StoreIdentity | undefined> {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of await this.store.open(key)) chunks.push(chunk as Buffer);
      return JSON.parse(Buffer.concat(chunks).toString()) as StoreIdentity;
    } catch (error) {
      // A copy that is being replaced is missing for a moment; the other copy is complete.
      if (error instanceof BlobMissingError || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}
