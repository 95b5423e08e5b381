import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  BlobSourceAbortedError,
  BlobMissingError,
  BlobTooLargeError,
  SIGNATURE_BYTES,
} from '../../src/contexts/blobs/blob-store.js';
import type { BlobStore } from '../../src/contexts/blobs/blob-store.js';

/** A store under test, and how to look into it behind the port's back. */
export interface BlobStoreAdapter {
  store: BlobStore;
  /** Number of blobs it keeps bytes of, staged ones included. */
  countBlobs(): Promise<number>;
  close(): Promise<void>;
}

const MANY = Number.MAX_SAFE_INTEGER;

/** What every blob store promises. */
export function blobStoreContract(name: string, open: () => Promise<BlobStoreAdapter>): void {
  describe(`${name} keeps the promises of a blob store`, () => {
    let adapter: BlobStoreAdapter;
    let store: BlobStore;

    beforeEach(async () => {
      adapter = await open();
      store = adapter.store;
    });
    afterEach(() => adapter.close());

    const keep = async (bytes: Buffer) => {
      const key = randomUUID();
      await store.stage(key, Readable.from(bytes.length > 0 ? [bytes] : []), MANY);
      await store.promote(key);
      return key;
    };

    test.each([0, 1, SIGNATURE_BYTES - 1, SIGNATURE_BYTES, SIGNATURE_BYTES + 1, 3_000_000])(
      'gives back %i bytes',
      async (size) => {
        const bytes = randomBytes(size);
        expect((await buffer(await store.open(await keep(bytes)))).equals(bytes)).toBe(true);
      },
    );

    test('tells size, digest and head from the bytes, however they come', async () => {
      const bytes = randomBytes(10_000);
      const pieces = Array.from({ length: 10_000 / 250 }, (_, index) => bytes.subarray(index * 250, (index + 1) * 250));
      const staged = await store.stage(randomUUID(), Readable.from(pieces), 10_000);
      expect(staged.size).toBe(10_000);
      expect(staged.digest).toBe(createHash('sha256').update(bytes).digest('hex'));
      expect(Buffer.from(staged.head).equals(bytes.subarray(0, SIGNATURE_BYTES))).toBe(true);
    });

    test.each([
      [0, 0],
      [3, 7],
      [99, 99],
    ])('reads bytes %i to %i', async (start, end) => {
      const bytes = randomBytes(100);
      const part = await buffer(await store.open(await keep(bytes), { start, end }));
      expect(part.equals(bytes.subarray(start, end + 1))).toBe(true);
    });

    test('shows nothing before it is promoted', async () => {
      const key = randomUUID();
      await store.stage(key, Readable.from([Buffer.from('x')]), MANY);
      await expect(store.open(key)).rejects.toThrow(BlobMissingError);
    });

    test('takes no more than announced and leaves the source alive', async () => {
      const source = Readable.from([Buffer.alloc(60), Buffer.alloc(60), Buffer.alloc(60)]);
      await expect(store.stage(randomUUID(), source, 100)).rejects.toThrow(BlobTooLargeError);
      expect(source.destroyed).toBe(false);
    });

    test('says that the source broke off', async () => {
      const broken = Readable.from(
        (async function* () {
          yield Buffer.from('some');
          throw new Error('connection reset');
        })(),
      );
      await expect(store.stage(randomUUID(), broken, MANY)).rejects.toThrow(BlobSourceAbortedError);
      const gone = new Readable({ read: () => undefined });
      setTimeout(() => gone.destroy(), 10);
      await expect(store.stage(randomUUID(), gone, MANY)).rejects.toThrow(BlobSourceAbortedError);
    });

    test('a key is never used twice', async () => {
      const key = randomUUID();
      await store.stage(key, Readable.from([Buffer.from('first')]), MANY);
      await expect(store.stage(key, Readable.from([Buffer.from('second')]), MANY)).rejects.toThrow();
      await store.promote(key);
      expect((await buffer(await store.open(key))).toString()).toBe('first');
    });

    test('is read into a buffer of the reader’s own, wherever that is offered', async () => {
      const bytes = randomBytes(300_000);
      const reader = await store.openReader(await keep(bytes));
      if (!reader) {
        // Only what has no files may do without.
        expect(store.pathOf(randomUUID())).toBeUndefined();
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

    test('discards whole, half and absent blobs, and no other', async () => {
      const [kept, live, staged] = [await keep(randomBytes(5)), await keep(randomBytes(5)), randomUUID()];
      await store.stage(staged, Readable.from([Buffer.from('x')]), MANY);
      expect(await adapter.countBlobs()).toBe(3);
      for (const key of [live, staged, live, randomUUID()]) await store.discard(key);
      expect(await adapter.countBlobs()).toBe(1);
      await expect(store.open(live)).rejects.toThrow(BlobMissingError);
      await expect(store.promote(staged)).rejects.toThrow();
      expect(await buffer(await store.open(kept))).toHaveLength(5);
    });

    test.each(['../../etc/passwd', '', 'x', '/absolute', randomUUID().toUpperCase(), `${randomUUID()}/..`])(
      'a key like %j never reaches the store',
      async (key) => {
        await expect(store.stage(key, Readable.from([Buffer.from('x')]), MANY)).rejects.toThrow(TypeError);
        await expect(store.promote(key)).rejects.toThrow(TypeError);
        await expect(store.open(key)).rejects.toThrow(TypeError);
        await expect(store.discard(key)).rejects.toThrow(TypeError);
        expect(await adapter.countBlobs()).toBe(0);
      },
    );
  });
}
