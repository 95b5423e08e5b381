import type { ByteObserver } from '../staged-blob-inspector.js';

/** The methods of `FileHandle` that are needed to write a file. */
export interface WritableFile {
  writev(buffers: readonly Buffer[], position: number): Promise<{ bytesWritten: number }>;
  datasync(): Promise<void>;
  truncate(length: number): Promise<void>;
}

/**
 * Writes a batch of chunks at `position` and computes their hash at the same time.
 * @returns the position after the batch
 */
export async function writeBatch(
  file: WritableFile,
  batch: Buffer[],
  position: number,
  hash: ByteObserver,
): Promise<number> {
  const writing = writeFully(file, batch, position);
  for (const chunk of batch) hash.update(chunk);
  return writing;
}

async function writeFully(file: WritableFile, batch: Buffer[], position: number): Promise<number> {
  let remaining = batch;
  let end = position;
  while (remaining.length > 0) {
    const { bytesWritten } = await file.writev(remaining, end);
    end += bytesWritten;
    remaining = removeWrittenBytes(remaining, bytesWritten);
  }
  return end;
}

/** Returns the part of a batch that is left to write after `written` bytes. */
function removeWrittenBytes(batch: Buffer[], written: number): Buffer[] {
  let skipped = 0;
  for (const [index, chunk] of batch.entries()) {
    if (skipped + chunk.length > written) return [chunk.subarray(written - skipped), ...batch.slice(index + 1)];
    skipped += chunk.length;
  }
  return [];
}
