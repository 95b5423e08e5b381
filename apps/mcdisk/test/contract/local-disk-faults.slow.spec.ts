import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { StoreFullError } from '../../src/storage/blobs/blob-store.js';
import { LocalDiskBlobStore } from '../../src/storage/blobs/local-disk/local-disk-blob-store.js';
import { patternedBytes } from '../support/patterned-bytes.js';
import { needs } from '@family-watch/testing/requirements/needs';

const REPOSITORY_ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const MEBIBYTE = 1024 * 1024;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'blob-faults-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Runs `appending-program.ts` until it has appended all bytes or kills itself after `delayMs` milliseconds. */
async function appendAndCrash(root: string, key: string, numbers: { offset: number; size: number; delayMs: number }) {
  const loader = join(REPOSITORY_ROOT, 'packages/testing/jest/load-typescript.mjs');
  const program = join(REPOSITORY_ROOT, 'apps/mcdisk/test/support/appending-program.ts');
  const { offset, size, delayMs } = numbers;
  const args = ['--import', loader, program, root, key, String(offset), String(size), String(delayMs)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) lines.push(line);
  await exited;
  return { durable: Number(lines.filter((line) => line !== 'end').at(-1) ?? offset), ended: lines.includes('end') };
}

test('LocalDiskBlobStore loses no bytes that it reported as durable when its process is killed', async () => {
  const [root, key, size] = [join(directory, 'store'), randomUUID(), 90 * MEBIBYTE + 3];
  let [offset, kills, ended] = [0, 0, false];
  while (!ended) {
    const result = await appendAndCrash(root, key, { offset, size, delayMs: randomInt(0, 12) });
    expect(result.durable).toBeGreaterThanOrEqual(offset);
    ({ ended, durable: offset } = result);
    if (!ended) kills += 1;
    const path = join(root, 'staging', key);
    expect((await stat(path)).size).toBeGreaterThanOrEqual(offset);
  }
  expect(kills).toBeGreaterThan(2);
  const store = new LocalDiskBlobStore(root);
  await store.promote(key);
  const expected = createHash('sha256').update(patternedBytes(0, size)).digest('hex');
  const found = createHash('sha256');
  for await (const chunk of await store.open(key)) found.update(chunk as Buffer);
  expect(found.digest('hex')).toBe(expected);
}, 300_000);

/** Mounts a file system of 4 MiB. The process needs the permission to mount. */
function mountSmallDisk(path: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', path], { stdio: 'ignore' });
}

needs('mount').describe('LocalDiskBlobStore on a full disk', () => {
  let disk: string;
  beforeEach(async () => {
    disk = join(directory, 'disk');
    await mkdir(disk);
    mountSmallDisk(disk);
  });
  afterEach(() => {
    execFileSync('umount', [disk]);
  });

  const sourceOfMebibytes = (count: number) =>
    Readable.from(Array.from({ length: count }, () => randomBytes(MEBIBYTE)));
  const freeBytes = async () => {
    const { bavail, bsize } = await statfs(disk);
    return bavail * bsize;
  };

  test('stage rejects a blob that does not fit on the disk, deletes its bytes, and then stores a smaller blob', async () => {
    const store = new LocalDiskBlobStore(disk);
    await store.stage(randomUUID(), sourceOfMebibytes(1), 2 * MEBIBYTE);
    const before = await freeBytes();
    await expect(store.stage(randomUUID(), sourceOfMebibytes(6), 10 * MEBIBYTE)).rejects.toThrow(StoreFullError);
    expect(await freeBytes()).toBe(before);
    expect(await readdir(join(disk, 'staging'))).toHaveLength(1);
    const small = randomUUID();
    await store.stage(small, Readable.from([Buffer.from('fits')]), 4);
    await store.promote(small);
    expect((await buffer(await store.open(small))).toString()).toBe('fits');
  });

  test('put rejects a blob that does not fit on the disk and deletes its bytes', async () => {
    const store = new LocalDiskBlobStore(disk);
    const key = randomUUID();
    await store.verifyWritable();
    const before = await freeBytes();
    await expect(store.put(key, sourceOfMebibytes(6), 10 * MEBIBYTE)).rejects.toThrow(StoreFullError);
    expect(await freeBytes()).toBe(before);
    expect(await readdir(join(disk, 'live', key.slice(0, 2)))).toEqual([]);
  });

  test('verifyWritable rejects while the disk is full, leaves no file, and succeeds once the disk has space', async () => {
    const store = new LocalDiskBlobStore(disk);
    await store.verifyWritable();
    const filler = join(disk, 'filler');
    await writeFile(filler, randomBytes(await freeBytes()));
    await expect(store.verifyWritable()).rejects.toThrow(StoreFullError);
    await rm(filler);
    await store.verifyWritable();
    expect(await readdir(join(disk, 'staging'))).toEqual([]);
  });

  test('append truncates a blob to its durable size when the disk is full, and resumes once the disk has space', async () => {
    const store = new LocalDiskBlobStore(disk);
    const [growing, other] = [randomUUID(), randomUUID()];
    const options = { maxBytes: 10 * MEBIBYTE, hash: createHash('sha256') };
    await store.stage(other, sourceOfMebibytes(2), 2 * MEBIBYTE);
    expect(await store.append(growing, sourceOfMebibytes(1), { ...options, offset: 0 })).toBe(MEBIBYTE);
    const before = await freeBytes();
    await expect(store.append(growing, sourceOfMebibytes(4), { ...options, offset: MEBIBYTE })).rejects.toThrow(
      StoreFullError,
    );
    expect(await freeBytes()).toBe(before);
    expect((await stat(join(disk, 'staging', growing))).size).toBe(MEBIBYTE);
    await store.discard(other);
    expect(await store.append(growing, sourceOfMebibytes(2), { ...options, offset: MEBIBYTE })).toBe(3 * MEBIBYTE);
  });
});
