import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  BlobSourceAbortedError,
  BlobMissingError,
  BlobTooLargeError,
  SIGNATURE_BYTES,
  type BlobStore,
} from '../../src/storage/blobs/blob-store.js';

/** A blob store under test, and direct access to its storage that bypasses `BlobStore`. */
export interface BlobStoreAdapter {
  store: BlobStore;
  /** Returns the number of stored blobs, including staged ones. */
  countBlobs(): Promise<number>;
  close(): Promise<void>;
}

const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** Defines the tests that every blob store must pass. */
export function blobStoreContract(name: string, open: () => Promise<BlobStoreAdapter>): void {
  describe(`${name}: blob store contract`, () => {
    let adapter: BlobStoreAdapter;
    let store: BlobStore;

    beforeEach(async () => {
      adapter = await open();
      store = adapter.store;
    });
    afterEach(() => adapter.close());

    const storeBlob = async (bytes: Buffer) => {
      const key = randomUUID();
      await store.stage(key, Readable.from(bytes.length > 0 ? [bytes] : []), UNLIMITED);
      await store.promote(key);
      return key;
    };

    test.each([0, 1, SIGNATURE_BYTES - 1, SIGNATURE_BYTES, SIGNATURE_BYTES + 1, 3_000_000])(
      'open returns the stored bytes of a blob of %i bytes',
      async (size) => {
        const bytes = randomBytes(size);
        expect((await buffer(await store.open(await storeBlob(bytes)))).equals(bytes)).toBe(true);
      },
    );

    test('stage returns the correct size, digest and head for any chunk sizes', async () => {
      const bytes = randomBytes(10_000);
      const chunks = Array.from({ length: 10_000 / 250 }, (_, index) => bytes.subarray(index * 250, (index + 1) * 250));
      const staged = await store.stage(randomUUID(), Readable.from(chunks), 10_000);
      expect(staged.size).toBe(10_000);
      expect(staged.digest).toBe(createHash('sha256').update(bytes).digest('hex'));
      expect(Buffer.from(staged.firstBytes).equals(bytes.subarray(0, SIGNATURE_BYTES))).toBe(true);
    });

    test.each([
      [0, 0],
      [3, 7],
      [99, 99],
    ])('open returns exactly the bytes from offset %i to offset %i', async (start, end) => {
      const bytes = randomBytes(100);
      const part = await buffer(await store.open(await storeBlob(bytes), { start, end }));
      expect(part.equals(bytes.subarray(start, end + 1))).toBe(true);
    });

    test('open throws BlobMissingError for a blob that is not promoted', async () => {
      const key = randomUUID();
      await store.stage(key, Readable.from([Buffer.from('x')]), UNLIMITED);
      await expect(store.open(key)).rejects.toThrow(BlobMissingError);
    });

    test('stage throws BlobTooLargeError beyond the limit and does not destroy the source', async () => {
      const source = Readable.from([Buffer.alloc(60), Buffer.alloc(60), Buffer.alloc(60)]);
      await expect(store.stage(randomUUID(), source, 100)).rejects.toThrow(BlobTooLargeError);
      expect(source.destroyed).toBe(false);
    });

    test('stage throws BlobSourceAbortedError when the source fails or is destroyed', async () => {
      const failingSource = Readable.from(
        (async function* () {
          yield Buffer.from('some');
          throw new Error('connection reset');
        })(),
      );
      await expect(store.stage(randomUUID(), failingSource, UNLIMITED)).rejects.toThrow(BlobSourceAbortedError);
      const destroyedSource = new Readable({ read: () => undefined });
      setTimeout(() => destroyedSource.destroy(), 10);
      await expect(store.stage(randomUUID(), destroyedSource, UNLIMITED)).rejects.toThrow(BlobSourceAbortedError);
    });

    test('stage rejects a key that was used before', async () => {
      const key = randomUUID();
      await store.stage(key, Readable.from([Buffer.from('first')]), UNLIMITED);
      await expect(store.stage(key, Readable.from([Buffer.from('second')]), UNLIMITED)).rejects.toThrow();
      await store.promote(key);
      expect((await buffer(await store.open(key))).toString()).toBe('first');
    });

    test('put makes a blob readable and returns its size, digest and head', async () => {
      const bytes = randomBytes(10_000);
      const key = randomUUID();
      const stored = await store.put(key, Readable.from([bytes.subarray(0, 4_000), bytes.subarray(4_000)]), 10_000);
      expect(stored.size).toBe(10_000);
      expect(stored.digest).toBe(createHash('sha256').update(bytes).digest('hex'));
      expect(Buffer.from(stored.firstBytes).equals(bytes.subarray(0, SIGNATURE_BYTES))).toBe(true);
      expect((await buffer(await store.open(key))).equals(bytes)).toBe(true);
      expect(await adapter.countBlobs()).toBe(1);
    });

    test('put rejects a key that was used before, and keeps its blob', async () => {
      const key = randomUUID();
      await store.put(key, Readable.from([Buffer.from('first')]), UNLIMITED);
      await expect(store.put(key, Readable.from([Buffer.from('second')]), UNLIMITED)).rejects.toThrow();
      expect((await buffer(await store.open(key))).toString()).toBe('first');
    });

    test('discard deletes what a failed put has left', async () => {
      const key = randomUUID();
      const source = Readable.from([Buffer.alloc(60), Buffer.alloc(60)]);
      await expect(store.put(key, source, 100)).rejects.toThrow(BlobTooLargeError);
      await store.discard(key);
      expect(await adapter.countBlobs()).toBe(0);
    });

    test('a reader copies bytes into a buffer of the caller, if the store supports readers', async () => {
      const bytes = randomBytes(300_000);
      const reader = await store.openReader(await storeBlob(bytes));
      if (!reader) {
        // Only a store that does not keep blobs in files may support no readers.
        expect(store.relativePathOf(randomUUID())).toBeUndefined();
        return;
      }
      for (const [position, length] of [
        [0, 300_000],
        [7, 1],
        [299_990, 10],
        [299_990, 50],
        [300_000, 5],
        [9, 0],
      ] as const) {
        const target = Buffer.alloc(length);
        const expected = bytes.subarray(position, position + length);
        expect(await reader.read(target, position)).toBe(expected.length);
        expect(target.subarray(0, expected.length).equals(expected)).toBe(true);
      }
      await reader.close();
      await expect(store.openReader(randomUUID())).rejects.toThrow(BlobMissingError);
      await expect(async () => store.openReader('../x')).rejects.toThrow(TypeError);
    });

    test('discard deletes a promoted or staged blob, ignores unknown keys and keeps other blobs', async () => {
      const [otherKey, live, staged] = [await storeBlob(randomBytes(5)), await storeBlob(randomBytes(5)), randomUUID()];
      await store.stage(staged, Readable.from([Buffer.from('x')]), UNLIMITED);
      expect(await adapter.countBlobs()).toBe(3);
      for (const key of [live, staged, live, randomUUID()]) await store.discard(key);
      expect(await adapter.countBlobs()).toBe(1);
      await expect(store.open(live)).rejects.toThrow(BlobMissingError);
      await expect(store.promote(staged)).rejects.toThrow();
      expect(await buffer(await store.open(otherKey))).toHaveLength(5);
    });

    const append = (key: string) =>
      store.append(key, Readable.from(['x']), { offset: 0, maxBytes: 1, hash: createHash('sha256') });
    test.each(['../../etc/passwd', '', 'x', '/absolute', randomUUID().toUpperCase(), `${randomUUID()}/..`])(
      'each operation rejects the invalid key %j',
      async (key) => {
        await expect(store.stage(key, Readable.from([Buffer.from('x')]), UNLIMITED)).rejects.toThrow(TypeError);
        await expect(store.put(key, Readable.from([Buffer.from('x')]), UNLIMITED)).rejects.toThrow(TypeError);
        await expect(append(key)).rejects.toThrow(TypeError);
        await expect(store.replaceWriter(key, 0)).rejects.toThrow(TypeError);
        await expect(store.openStaged(key)).rejects.toThrow(TypeError);
        await expect(store.read(key, { start: 0, end: 1 })).rejects.toThrow(TypeError);
        await expect(store.promote(key)).rejects.toThrow(TypeError);
        await expect(store.open(key)).rejects.toThrow(TypeError);
        await expect(store.discard(key)).rejects.toThrow(TypeError);
        expect(await adapter.countBlobs()).toBe(0);
      },
    );
  });
}
