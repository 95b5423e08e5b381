import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import {
  BlobMissingError,
  BlobTooLargeError,
  type AppendOptions,
  type BlobStore,
} from '../../src/storage/blobs/blob-store.js';
import type { BlobStoreAdapter } from './blob-store.contract.js';
import { blobsOf, abortedAfter, endlessSource, waitUntilDrained } from './blob-sources.js';

const UNLIMITED = Number.MAX_SAFE_INTEGER;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Options of `blobAppendContract`. */
interface ContractOptions {
  /** Number of runs of the property test in a fast test run. */
  runs: number;
  /** Size of the segments after each of which the store reports bytes as durable. */
  segmentBytes?: number;
}

/** Defines the tests that every blob store must pass for appending to staged blobs. */
export function blobAppendContract(
  name: string,
  open: () => Promise<BlobStoreAdapter>,
  { runs, segmentBytes = 8 * 1024 * 1024 }: ContractOptions,
): void {
  describe(`${name}: append contract`, () => {
    let adapter: BlobStoreAdapter;
    let store: BlobStore;

    beforeEach(async () => {
      adapter = await open();
      store = adapter.store;
    });
    afterEach(() => adapter.close());

    const append = (key: string, source: Readable | Buffer, options: Partial<AppendOptions> = {}) =>
      store.append(key, source instanceof Readable ? source : Readable.from([source]), {
        offset: 0,
        maxBytes: UNLIMITED,
        hash: createHash('sha256'),
        ...options,
      });
    const staged = async (key: string) => buffer(await store.openStaged(key));
    const promoted = async (key: string) => buffer(await store.open(key));

    test('append stores exactly the sent bytes for any chunk sizes, aborts, retries and replaced writers', async () => {
      const steps = fc.array(
        fc.record({
          bytes: fc.nat(150_000),
          chunk: fc.integer({ min: 1, max: 70_000 }),
          end: fc.constantFrom('end', 'abort', 'back', 'replaceWriter'),
          back: fc.nat(100_000),
        }),
        { minLength: 1, maxLength: 6 },
      );
      await fc.assert(
        fc.asyncProperty(steps, async (list) => {
          const key = randomUUID();
          const hash = createHash('sha256');
          let expected = Buffer.alloc(0);
          for (const { bytes, chunk, end, back } of list) {
            const part = randomBytes(bytes);
            const source = end === 'abort' ? abortedAfter(part, chunk) : Readable.from(chunks(part, chunk));
            const step = createHash('sha256');
            const size = await append(key, source, { offset: expected.length, hash: step });
            expected = Buffer.concat([expected, part]);
            expect(size).toBe(expected.length);
            expect(step.digest('hex')).toBe(sha256(part));
            if (end === 'replaceWriter') await store.replaceWriter(key, expected.length);
            // The last response was lost, so the caller continues at an offset below the stored size.
            if (end === 'back') expected = expected.subarray(0, Math.max(0, expected.length - back));
            if (end === 'back')
              expect(await append(key, Buffer.alloc(0), { offset: expected.length })).toBe(expected.length);
            expect((await staged(key)).equals(expected)).toBe(true);
          }
          hash.update(expected);
          await store.promote(key);
          expect(sha256(await promoted(key))).toBe(hash.digest('hex'));
          await store.discard(key);
        }),
        { numRuns: propertyRuns(runs), endOnFailure: true },
      );
    }, 900_000);

    test('append reports growing durable sizes while receiving, and stores exactly the sent bytes', async () => {
      const bytes = randomBytes(Math.ceil(segmentBytes * 2.6));
      const key = randomUUID();
      const reported: number[] = [];
      let activeCalls = 0;
      const onDurable = async (size: number) => {
        activeCalls += 1;
        expect(activeCalls).toBe(1);
        expect((await staged(key)).subarray(0, size).equals(bytes.subarray(0, size))).toBe(true);
        reported.push(size);
        activeCalls -= 1;
      };
      const hash = createHash('sha256');
      expect(await append(key, Readable.from(chunks(bytes, 50_000)), { hash, onDurable })).toBe(bytes.length);
      expect(hash.digest('hex')).toBe(sha256(bytes));
      expect(reported.length).toBeGreaterThan(0);
      expect(reported).toEqual([...new Set(reported)].sort((left, right) => left - right));
      await store.promote(key);
      await store.promote(key);
      expect((await promoted(key)).equals(bytes)).toBe(true);
      const range = { start: segmentBytes - 3, end: segmentBytes + 3 };
      expect((await store.read(key, range)).equals(bytes.subarray(range.start, range.end + 1))).toBe(true);
    });

    test('append fails with the error that onDurable throws', async () => {
      const lockLost = new Error('the lock is lost');
      const source = Readable.from(chunks(randomBytes(2 * segmentBytes), 65_536));
      await expect(append(randomUUID(), source, { onDurable: () => Promise.reject(lockLost) })).rejects.toBe(lockLost);
    });

    test('append throws BlobTooLargeError beyond maxBytes and keeps the bytes up to the limit', async () => {
      const key = randomUUID();
      await append(key, Buffer.from('0123'));
      const source = endlessSource(Buffer.from('45'));
      source.push('6789');
      await expect(append(key, source, { offset: 4, maxBytes: 3 })).rejects.toThrow(BlobTooLargeError);
      expect(source.destroyed).toBe(false);
      expect((await staged(key)).toString()).toBe('0123456');
    });

    test('append stops reading an endless source on abort and keeps the received bytes', async () => {
      const [key, stop] = [randomUUID(), new AbortController()];
      const bytes = randomBytes(300_000);
      const source = endlessSource(bytes);
      const size = append(key, source, { signal: stop.signal });
      await waitUntilDrained(source);
      stop.abort();
      expect(await size).toBe(bytes.length);
      expect(source.destroyed).toBe(false);
      expect((await staged(key)).equals(bytes)).toBe(true);
      expect(await append(key, endlessSource(bytes), { offset: bytes.length, signal: AbortSignal.abort() })).toBe(
        bytes.length,
      );
    });

    test('append, replaceWriter, openStaged and promote throw BlobMissingError for missing bytes', async () => {
      const key = randomUUID();
      await expect(append(key, Buffer.from('x'), { offset: 1 })).rejects.toThrow(BlobMissingError);
      await append(key, Buffer.from('abc'));
      await expect(append(key, Buffer.from('x'), { offset: 4 })).rejects.toThrow(BlobMissingError);
      await expect(store.replaceWriter(key, 4)).rejects.toThrow(BlobMissingError);
      await expect(store.openStaged(randomUUID())).rejects.toThrow(BlobMissingError);
      await expect(store.promote(randomUUID())).rejects.toThrow(BlobMissingError);
      expect((await staged(key)).toString()).toBe('abc');
    });

    test.each([1, 3])('promote rejects a blob of two bytes when %i bytes are expected', async (expected) => {
      const key = randomUUID();
      await append(key, Buffer.from('ab'));
      await expect(store.promote(key, expected)).rejects.toThrow(BlobMissingError);
      expect((await staged(key)).toString()).toBe('ab');
      await expect(promoted(key)).rejects.toThrow(BlobMissingError);
      await store.promote(key, 2);
      await store.promote(key, 2);
      await expect(store.promote(key, expected)).rejects.toThrow(BlobMissingError);
      expect((await promoted(key)).toString()).toBe('ab');
    });

    test('replaceWriter makes later bytes of the previous writer ineffective', async () => {
      const key = randomUUID();
      const oldSource = endlessSource(Buffer.from('old '));
      const stop = new AbortController();
      await append(key, Buffer.from('first '));
      const oldAppend = append(key, oldSource, { offset: 6, signal: stop.signal });
      await waitUntilDrained(oldSource);
      await store.replaceWriter(key, 6);
      expect(await append(key, Buffer.from('new bytes'), { offset: 6 })).toBe(15);
      oldSource.push('still writing, and for a long time');
      await waitUntilDrained(oldSource);
      stop.abort();
      await oldAppend;
      expect((await staged(key)).toString()).toBe('first new bytes');
      await store.promote(key);
      expect((await promoted(key)).toString()).toBe('first new bytes');
    });

    test('replaceWriter at offset 0 succeeds before the first byte and discards later bytes', async () => {
      const key = randomUUID();
      await store.replaceWriter(key, 0);
      expect(await append(key, Buffer.from('x'))).toBe(1);
      await store.replaceWriter(key, 0);
      expect(await append(key, Buffer.from('yz'))).toBe(2);
      expect((await staged(key)).toString()).toBe('yz');
    });

    test('list returns staged and promoted blobs with their sizes', async () => {
      const before = Date.now() - 60_000;
      const [growing, promotedKey, empty] = [randomUUID(), randomUUID(), randomUUID()];
      await append(growing, Buffer.from('half'));
      await append(growing, Buffer.from('more'), { offset: 4 });
      for (const [key, bytes] of [
        [promotedKey, 'whole'],
        [empty, ''],
      ] as const) {
        await append(key, Buffer.from(bytes));
        await store.promote(key);
      }
      const { blobs, changedAt } = await blobsOf(store);
      expect(blobs).toEqual(
        new Map([
          [growing, { staged: true, size: 8 }],
          [promotedKey, { staged: false, size: 5 }],
          [empty, { staged: false, size: 0 }],
        ]),
      );
      for (const time of changedAt) expect(time).toBeGreaterThan(before);
      for (const key of [promotedKey, empty]) expect(store.relativePathOf(key) ?? key).toContain(key);
      for (const key of blobs.keys()) await store.discard(key);
      expect((await blobsOf(store)).blobs.size).toBe(0);
    });
  });
}

function chunks(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}
