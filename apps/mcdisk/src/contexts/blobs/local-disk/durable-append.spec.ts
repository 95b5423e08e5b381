import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { StoreFullError, StoreUnavailableError } from '../blob-store.js';
import type { AppendOptions } from '../blob-store.js';
import { DurableAppend } from './durable-append.js';
import type { WritableFile } from './file-writer.js';

const MEBIBYTE = 1024 * 1024;

/** A file in memory, on a disk that may fill up or break. */
class FakeFile implements WritableFile {
  size = 0;
  syncs = 0;
  syncedSize = 0;
  /** Bytes that the disk has room for. */
  room = Infinity;
  /** Number of the sync that fails, and how. */
  failingSync: { number: number; code: string } | undefined;
  /** What one write takes at most. */
  mostAtOnce = Infinity;

  writev(buffers: readonly Buffer[], position: number): Promise<{ bytesWritten: number }> {
    const wanted = buffers.reduce((sum, { length }) => sum + length, 0);
    const bytesWritten = Math.min(wanted, this.mostAtOnce, this.room - position);
    if (bytesWritten <= 0) return Promise.reject(failure('ENOSPC'));
    this.size = Math.max(this.size, position + bytesWritten);
    return Promise.resolve({ bytesWritten });
  }

  datasync(): Promise<void> {
    this.syncs += 1;
    if (this.failingSync?.number === this.syncs) return Promise.reject(failure(this.failingSync.code));
    this.syncedSize = this.size;
    return Promise.resolve();
  }

  truncate(length: number): Promise<void> {
    this.size = Math.min(this.size, length);
    return Promise.resolve();
  }
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function mebibytes(count: number): Readable {
  return Readable.from(Array.from({ length: count }, () => Buffer.alloc(MEBIBYTE)));
}

function append(file: FakeFile, source: Readable, options: Partial<AppendOptions> = {}): Promise<number> {
  const hash = createHash('sha256');
  return new DurableAppend(file, { offset: 0, maxBytes: Number.MAX_SAFE_INTEGER, hash, ...options }).run(source);
}

test('a full disk costs what is not lasting, and nothing that was told', async () => {
  const file = new FakeFile();
  file.room = 20.5 * MEBIBYTE;
  const told: number[] = [];
  const onDurable = (size: number) => Promise.resolve(void told.push(size));
  await expect(append(file, mebibytes(30), { onDurable })).rejects.toThrow(StoreFullError);
  expect(told.length).toBeGreaterThan(0);
  expect(file.size).toBe(told.at(-1));
  expect(file.syncedSize).toBeGreaterThanOrEqual(file.size);
});

test('a full disk that was full before leaves the blob as it was', async () => {
  const file = new FakeFile();
  file.size = file.room = 3 * MEBIBYTE;
  await expect(append(file, mebibytes(1), { offset: file.size })).rejects.toThrow(StoreFullError);
  expect(file.size).toBe(3 * MEBIBYTE);
});

test.each([
  ['EIO', StoreUnavailableError],
  ['EDQUOT', StoreFullError],
])('a sync that fails with %s is told and not tried again', async (code, error) => {
  const file = new FakeFile();
  file.failingSync = { number: 1, code };
  const told: number[] = [];
  const onDurable = (size: number) => Promise.resolve(void told.push(size));
  await expect(append(file, mebibytes(40), { onDurable })).rejects.toThrow(error);
  expect(told).toEqual([]);
  expect(file.syncs).toBe(1);
});

test('the last sync counts as well', async () => {
  const file = new FakeFile();
  file.failingSync = { number: 1, code: 'EIO' };
  await expect(append(file, mebibytes(1))).rejects.toThrow(StoreUnavailableError);
});

test('writes that take only a part of what they are given lose nothing', async () => {
  const file = new FakeFile();
  file.mostAtOnce = 300_001;
  const source = Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(50_000)));
  expect(await append(file, source)).toBe(5_000_000);
  expect(file.size).toBe(5_000_000);
  expect(file.syncedSize).toBe(5_000_000);
});

test('nothing that comes is nothing to synchronise, but for a new file', async () => {
  const file = new FakeFile();
  file.size = 5;
  expect(await append(file, Readable.from([]), { offset: 5 })).toBe(5);
  expect(file.syncs).toBe(0);
  expect(await append(new FakeFile(), Readable.from([]))).toBe(0);
});
