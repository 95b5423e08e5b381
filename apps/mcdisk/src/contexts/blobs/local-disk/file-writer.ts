import type { ByteObserver } from '../staged-blob-inspector.js';

/** What is needed of an open file; `FileHandle` has it. */
export interface WritableFile {
  writev(buffers: readonly Buffer[], position: number): Promise<{ bytesWritten: number }>;
  datasync(): Promise<void>;
  truncate(length: number): Promise<void>;
}

/**
 * Writes a piece at its place, hashing it meanwhile.
 * @returns where it ends
 */
export async function writePiece(
  file: WritableFile,
  piece: Buffer[],
  position: number,
  hash: ByteObserver,
): Promise<number> {
  const writing = writeWhole(file, piece, position);
  for (const chunk of piece) hash.update(chunk);
  return writing;
}

async function writeWhole(file: WritableFile, piece: Buffer[], position: number): Promise<number> {
  let rest = piece;
  let end = position;
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(rest, end);
    end += bytesWritten;
    rest = after(rest, bytesWritten);
  }
  return end;
}

/** One write may take less than it was given. */
function after(piece: Buffer[], written: number): Buffer[] {
  let skipped = 0;
  for (const [index, chunk] of piece.entries()) {
    if (skipped + chunk.length > written) return [chunk.subarray(written - skipped), ...piece.slice(index + 1)];
    skipped += chunk.length;
  }
  return [];
}
