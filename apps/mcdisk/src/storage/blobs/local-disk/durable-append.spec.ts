import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { StoreFullError, StoreUnavailableError, type AppendOptions } from '../blob-store.js';
import { DurableAppend } from './durable-append.js';
import type { WritableFile } from './file-system.js';

const MEBIBYTE = 1024 * 1024;

/** A file in memory that simulates a disk that becomes full or fails. */
class FakeFile implements WritableFile {
  size = 0;
  syncCount = 0;
  syncedSize = 0;
  /** Maximum size of the file in bytes. */
  capacityBytes = Infinity;
  /** Number of the sync that fails, counted from 1, and the code of its error. */
  failingSync: { syncNumber: number; errorCode: string } | undefined;
  /** Maximum number of bytes that a single call writes. */
  maxWriteBytes = Infinity;

  writev(buffers: readonly Buffer[], position: number): Promise<{ bytesWritten: number }> {
    const requested = buffers.reduce((sum, { length }) => sum + length, 0);
    const bytesWritten = Math.min(requested, this.maxWriteBytes, this.capacityBytes - position);
    if (bytesWritten <= 0) return Promise.reject(diskError('ENOSPC'));
    this.size = Math.max(this.size, position + bytesWritten);
    return Promise.resolve({ bytesWritten });
  }

  datasync(): Promise<void> {
    this.syncCount += 1;
    if (this.failingSync?.syncNumber === this.syncCount) return Promise.reject(diskError(this.failingSync.errorCode));
    this.syncedSize = this.size;
    return Promise.resolve();
  }

  truncate(length: number): Promise<void> {
    this.size = Math.min(this.size, length);
    return Promise.resolve();
  }
}

function diskError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function sourceOfMebibytes(count: number): Readable {
  return Readable.from(Array.from({ length: count }, () => Buffer.alloc(MEBIBYTE)));
}

function appendToFile(file: FakeFile, source: Readable, options: Partial<AppendOptions> = {}): Promise<number> {
  const hash = createHash('sha256');
  return new DurableAppend(file, { offset: 0, maxBytes: Number.MAX_SAFE_INTEGER, hash, ...options }).run(source);
}

test('DurableAppend truncates the file to the last reported durable size when the disk becomes full', async () => {
  const file = new FakeFile();
  file.capacityBytes = 20.5 * MEBIBYTE;
  const reported: number[] = [];
  const onDurable = (size: number) => Promise.resolve(void reported.push(size));
  await expect(appendToFile(file, sourceOfMebibytes(30), { onDurable })).rejects.toThrow(StoreFullError);
  expect(reported.length).toBeGreaterThan(0);
  expect(file.size).toBe(reported.at(-1));
  expect(file.syncedSize).toBeGreaterThanOrEqual(file.size);
});

test('DurableAppend leaves the file unchanged when the disk is already full', async () => {
  const file = new FakeFile();
  file.size = file.capacityBytes = 3 * MEBIBYTE;
  await expect(appendToFile(file, sourceOfMebibytes(1), { offset: file.size })).rejects.toThrow(StoreFullError);
  expect(file.size).toBe(3 * MEBIBYTE);
});

test.each([
  ['EIO', StoreUnavailableError],
  ['EDQUOT', StoreFullError],
])('DurableAppend fails when a sync fails with %s, and does not retry the sync', async (code, error) => {
  const file = new FakeFile();
  file.failingSync = { syncNumber: 1, errorCode: code };
  const reported: number[] = [];
  const onDurable = (size: number) => Promise.resolve(void reported.push(size));
  await expect(appendToFile(file, sourceOfMebibytes(40), { onDurable })).rejects.toThrow(error);
  expect(reported).toEqual([]);
  expect(file.syncCount).toBe(1);
});

test('DurableAppend fails when the last sync fails', async () => {
  const file = new FakeFile();
  file.failingSync = { syncNumber: 1, errorCode: 'EIO' };
  await expect(appendToFile(file, sourceOfMebibytes(1))).rejects.toThrow(StoreUnavailableError);
});

test('DurableAppend writes all bytes when each write call writes only a part', async () => {
  const file = new FakeFile();
  file.maxWriteBytes = 300_001;
  const source = Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(50_000)));
  expect(await appendToFile(file, source)).toBe(5_000_000);
  expect(file.size).toBe(5_000_000);
  expect(file.syncedSize).toBe(5_000_000);
});

test('DurableAppend does not sync an existing file when the source is empty', async () => {
  const file = new FakeFile();
  file.size = 5;
  expect(await appendToFile(file, Readable.from([]), { offset: 5 })).toBe(5);
  expect(file.syncCount).toBe(0);
  expect(await appendToFile(new FakeFile(), Readable.from([]))).toBe(0);
});
