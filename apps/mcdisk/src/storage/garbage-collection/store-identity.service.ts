import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { BlobMissingError, BlobStore } from '../blobs/blob-store.js';
import { StoreIdentityRepository, type StoreIdentity } from './store-identity.repository.js';

/**
 * Blob keys of the two copies of the store's identity. The copies are written alternately, so that one copy is complete
 * while the other copy is written.
 */
const IDENTITY_KEYS = ['00000000-0000-8000-8000-000000000000', '00000000-0000-8000-8000-000000000001'] as const;
/** Blob key of the time of the newest backup of this store and its database. */
const NEWEST_BACKUP_KEY = '00000000-0000-8000-8000-000000000002';
/** Maximum size of a stored identity or time, bytes. */
const MAX_IDENTITY_BYTES = 256;
const GENERATION_INTERVAL_MS = 10 * 60_000;

/** Result of comparing the identities of database and store. */
export type StoreVerification =
  | { isMatching: true }
  | {
      isMatching: false;
      reason: string;
      /** The identity in the store, or `undefined` when the store has none. */
      identityInStore?: StoreIdentity;
    };

/** Returns whether the key belongs to what the service stores about the store, and not to a family's blob. */
export function isStoreIdentityKey(key: string): boolean {
  return isNewestBackupKey(key) || (IDENTITY_KEYS as readonly string[]).includes(key);
}

export function isNewestBackupKey(key: string): boolean {
  return key === NEWEST_BACKUP_KEY;
}

/** Stores the time of the snapshot of a backup, Unix milliseconds, so that a restore recognises an older backup. */
export function writeNewestBackupTime(store: BlobStore, snapshotAt: number): Promise<void> {
  return replaceBlob(store, NEWEST_BACKUP_KEY, { snapshotAt });
}

/** Returns the time of the newest backup, Unix milliseconds; undefined if the store does not know of a backup. */
export async function readNewestBackupTime(store: BlobStore): Promise<number | undefined> {
  return (await readBlob<{ snapshotAt: number }>(store, NEWEST_BACKUP_KEY))?.snapshotAt;
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
    const inStore = await readStoreIdentity(this.store);
    // The database is read after the store, because the opposite order could find a new generation in the store but not
    // in the database.
    const inDatabase = await this.repository.find();
    if (!inStore && (inDatabase?.generation ?? 0) <= 1) return { isMatching: true };
    if (!inStore)
      return { isMatching: false, reason: 'the store has no identity: it is empty, or belongs to another database' };
    if (inDatabase?.storeId !== inStore.storeId) {
      return { isMatching: false, reason: 'the store belongs to another database', identityInStore: inStore };
    }
    if (inStore.generation > inDatabase.generation) {
      const behind = inStore.generation - inDatabase.generation;
      return {
        isMatching: false,
        reason: `the database is older than the store, by ${behind} generations`,
        identityInStore: inStore,
      };
    }
    return { isMatching: true };
  }

  /** Writes a new generation to database and store, at most once in ten minutes across all processes. */
  async advanceGeneration(now: number): Promise<void> {
    const { isMatching } = await this.verify();
    const identity = isMatching
      ? await this.repository.incrementGeneration(now - GENERATION_INTERVAL_MS, now)
      : undefined;
    if (identity) await this.writeIdentity(identity);
  }

  /**
   * Adopts a store whose identity does not match the database. Only an operator who has verified that the store belongs
   * to this database may request the adoption.
   */
  async adopt(now: number): Promise<void> {
    const inStore = await readStoreIdentity(this.store);
    const inDatabase = await this.repository.find();
    if (!inStore && !inDatabase) return;
    const storeId = inStore?.storeId ?? inDatabase?.storeId ?? '';
    const identity = { storeId, generation: Math.max(inStore?.generation ?? 0, inDatabase?.generation ?? 0) + 1 };
    await this.repository.adopt(identity, now);
    await this.writeIdentity(identity);
  }

  private async writeIdentity(identity: StoreIdentity): Promise<void> {
    await replaceBlob(this.store, IDENTITY_KEYS[identity.generation % 2 === 0 ? 0 : 1], identity);
  }
}

/** Returns the identity that the store contains, or undefined if it contains none. */
export async function readStoreIdentity(store: BlobStore): Promise<StoreIdentity | undefined> {
  const identities = await Promise.all(IDENTITY_KEYS.map((key) => readBlob<StoreIdentity>(store, key)));
  return identities.filter((identity) => identity !== undefined).toSorted((a, b) => b.generation - a.generation)[0];
}

async function replaceBlob(store: BlobStore, key: string, content: object): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(content));
  await store.discard(key);
  await store.stage(key, Readable.from([bytes]), MAX_IDENTITY_BYTES);
  await store.promote(key);
}

async function readBlob<Content>(store: BlobStore, key: string): Promise<Content | undefined> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of await store.open(key)) chunks.push(chunk as Buffer);
    return JSON.parse(Buffer.concat(chunks).toString()) as Content;
  } catch (error) {
    // While a copy is replaced it is missing for a moment; the other copy is complete.
    if (error instanceof BlobMissingError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
