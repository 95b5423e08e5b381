import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { BlobMissingError, BlobTooLargeError } from '../../src/contexts/blobs/blob-store.js';
import type { AppendOptions, BlobStore } from '../../src/contexts/blobs/blob-store.js';
import type { BlobStoreAdapter } from './blob-store.contract.js';
import { blobsOf, brokenAfter, neverEnding, untilTaken } from './blob-sources.js';

const MANY = Number.MAX_SAFE_INTEGER;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** How much is tried. */
interface Extent {
  /** Of the property test. */
  runs: number;
  /** After so many bytes the store tells that they are lasting. */
  segmentBytes?: number;
}

/** What every blob store promises of blobs that arrive bit by bit. */
export function blobAppendContract(
  name: string,
  open: () => Promise<BlobStoreAdapter>,
  { runs, segmentBytes = 8 * 1024 * 1024 }: Extent,
): void {
  describe(`${name} keeps the promises of blobs that grow`, () => {
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
        maxBytes: MANY,
        hash: createHash('sha256'),
        ...options,
      });
    const staged = async (key: string) => buffer(await store.openStaged(key));
    const promoted = async (key: string) => buffer(await store.open(key));

    test('any bytes in any pieces, broken off anywhere, are the same bytes in the end', async () => {
      const steps = fc.array(
        fc.record({
          bytes: fc.nat(150_000),
          chunk: fc.integer({ min: 1, max: 70_000 }),
          end: fc.constantFrom('end', 'break', 'back', 'seize'),
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
            const piece = randomBytes(bytes);
            const source = end === 'break' ? brokenAfter(piece, chunk) : Readable.from(chunks(piece, chunk));
            const step = createHash('sha256');
            const size = await append(key, source, { offset: expected.length, hash: step });
            expected = Buffer.concat([expected, piece]);
            expect(size).toBe(expected.length);
            expect(step.digest('hex')).toBe(sha256(piece));
            if (end === 'seize') await store.takeOver(key, expected.length);
            // The last answer was lost: what is known is less than what is there.
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

    test('many bytes are told while they come, and are the same in the end', async () => {
      const bytes = randomBytes(Math.ceil(segmentBytes * 2.6));
      const key = randomUUID();
      const told: number[] = [];
      let telling = 0;
      const onDurable = async (size: number) => {
        telling += 1;
        expect(telling).toBe(1);
        expect((await staged(key)).subarray(0, size).equals(bytes.subarray(0, size))).toBe(true);
        told.push(size);
        telling -= 1;
      };
      const hash = createHash('sha256');
      expect(await append(key, Readable.from(chunks(bytes, 50_000)), { hash, onDurable })).toBe(bytes.length);
      expect(hash.digest('hex')).toBe(sha256(bytes));
      expect(told.length).toBeGreaterThan(0);
      expect(told).toEqual([...new Set(told)].sort((left, right) => left - right));
      await store.promote(key);
      await store.promote(key);
      expect((await promoted(key)).equals(bytes)).toBe(true);
      const range = { start: segmentBytes - 3, end: segmentBytes + 3 };
      expect((await store.read(key, range)).equals(bytes.subarray(range.start, range.end + 1))).toBe(true);
    });

    test('a listener that fails ends the append with its own failure', async () => {
      const lost = new Error('the lock is lost');
      const source = Readable.from(chunks(randomBytes(2 * segmentBytes), 65_536));
      await expect(append(randomUUID(), source, { onDurable: () => Promise.reject(lost) })).rejects.toBe(lost);
    });

    test('what exceeds the limit fails after the rest was kept', async () => {
      const key = randomUUID();
      await append(key, Buffer.from('0123'));
      const source = neverEnding(Buffer.from('45'));
      source.push('6789');
      await expect(append(key, source, { offset: 4, maxBytes: 3 })).rejects.toThrow(BlobTooLargeError);
      expect(source.destroyed).toBe(false);
      expect((await staged(key)).toString()).toBe('0123456');
    });

    test('a source that never ends is let go, and what has come is kept', async () => {
      const [key, stop] = [randomUUID(), new AbortController()];
      const bytes = randomBytes(300_000);
      const source = neverEnding(bytes);
      const size = append(key, source, { signal: stop.signal });
      await untilTaken(source);
      stop.abort();
      expect(await size).toBe(bytes.length);
      expect(source.destroyed).toBe(false);
      expect((await staged(key)).equals(bytes)).toBe(true);
      expect(await append(key, neverEnding(bytes), { offset: bytes.length, signal: AbortSignal.abort() })).toBe(
        bytes.length,
      );
    });

    test('nothing is added to bytes that are not there', async () => {
      const key = randomUUID();
      await expect(append(key, Buffer.from('x'), { offset: 1 })).rejects.toThrow(BlobMissingError);
      await append(key, Buffer.from('abc'));
      await expect(append(key, Buffer.from('x'), { offset: 4 })).rejects.toThrow(BlobMissingError);
      await expect(store.takeOver(key, 4)).rejects.toThrow(BlobMissingError);
      await expect(store.openStaged(randomUUID())).rejects.toThrow(BlobMissingError);
      await expect(store.promote(randomUUID())).rejects.toThrow(BlobMissingError);
      expect((await staged(key)).toString()).toBe('abc');
    });

    test.each([1, 3])('bytes that are not as many as the %i that are expected are not promoted', async (expected) => {
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

    test('a writer that a blob was taken from changes nothing of it any more', async () => {
      const key = randomUUID();
      const old = neverEnding(Buffer.from('old '));
      const stop = new AbortController();
      await append(key, Buffer.from('first '));
      const abandoned = append(key, old, { offset: 6, signal: stop.signal });
      await untilTaken(old);
      await store.takeOver(key, 6);
      expect(await append(key, Buffer.from('new bytes'), { offset: 6 })).toBe(15);
      old.push('still writing, and for a long time');
      await untilTaken(old);
      stop.abort();
      await abandoned;
      expect((await staged(key)).toString()).toBe('first new bytes');
      await store.promote(key);
      expect((await promoted(key)).toString()).toBe('first new bytes');
    });

    test('a blob of which nothing has come can be taken, too', async () => {
      const key = randomUUID();
      await store.takeOver(key, 0);
      expect(await append(key, Buffer.from('x'))).toBe(1);
      await store.takeOver(key, 0);
      expect(await append(key, Buffer.from('yz'))).toBe(2);
      expect((await staged(key)).toString()).toBe('yz');
    });

    test('lists what is there, staged and promoted, and where', async () => {
      const before = Date.now() - 60_000;
      const [half, whole, empty] = [randomUUID(), randomUUID(), randomUUID()];
      await append(half, Buffer.from('half'));
      await append(half, Buffer.from('more'), { offset: 4 });
      for (const [key, bytes] of [
        [whole, 'whole'],
        [empty, ''],
      ] as const) {
        await append(key, Buffer.from(bytes));
        await store.promote(key);
      }
      const { blobs, changedAt } = await blobsOf(store);
      expect(blobs).toEqual(
        new Map([
          [half, { staged: true, size: 8 }],
          [whole, { staged: false, size: 5 }],
          [empty, { staged: false, size: 0 }],
        ]),
      );
      for (const time of changedAt) expect(time).toBeGreaterThan(before);
      for (const key of [whole, empty]) expect(store.pathOf(key) ?? key).toContain(key);
      for (const key of blobs.keys()) await store.discard(key);
      expect((await blobsOf(store)).blobs.size).toBe(0);
    });

    test.each(['../../etc/passwd', '', 'x', randomUUID().toUpperCase(), `${randomUUID()}/..`])(
      'a key like %j never reaches the store',
      async (key) => {
        await expect(append(key, Buffer.from('x'))).rejects.toThrow(TypeError);
        await expect(store.takeOver(key, 0)).rejects.toThrow(TypeError);
        await expect(store.openStaged(key)).rejects.toThrow(TypeError);
        await expect(store.read(key, { start: 0, end: 1 })).rejects.toThrow(TypeError);
        expect(await adapter.countBlobs()).toBe(0);
      },
    );
  });
}

function chunks(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}
