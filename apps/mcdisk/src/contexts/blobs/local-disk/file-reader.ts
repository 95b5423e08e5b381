import type { FileHandle } from 'node:fs/promises';
import type { BlobReader } from '../blob-store.js';
import { withStoreErrors } from './disk-error.js';

/** Reads an open file. */
export class FileReader implements BlobReader {
  constructor(private readonly file: FileHandle) {}

  read(target: Buffer, position: number): Promise<number> {
    return withStoreErrors(() => readFully(this.file, target, position));
  }

  close(): Promise<void> {
    return this.file.close();
  }
}

/**
 * Reads until `target` is full or the file ends, because a single read may return fewer bytes. Returns the number of
 * bytes read.
 */
export async function readFully(file: FileHandle, target: Buffer, position: number): Promise<number> {
  let filled = 0;
  while (filled < target.length) {
    const { bytesRead } = await file.read(target, filled, target.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}
