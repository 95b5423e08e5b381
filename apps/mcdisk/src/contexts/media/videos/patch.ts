import { Transform } from 'node:stream';

/** A range of a file to overwrite: with `head` from `start` on, and with zeros after that up to `end`. */
export interface Patch {
  start: number;
  end: number;
  head?: Buffer;
}

/**
 * Returns a transform that overwrites the patched ranges; the length does not change.
 * @param patches in order, without overlaps
 */
export function applyPatches(patches: readonly Patch[]): Transform {
  let position = 0;
  let next = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const end = position + chunk.length;
      let patched: Buffer | undefined;
      for (let patch = patches[next]; patch && patch.start < end; patch = patches[next]) {
        patched ??= Buffer.from(chunk);
        apply(patch, patched, position);
        if (patch.end > end) break;
        next += 1;
      }
      position = end;
      done(null, patched ?? chunk);
    },
  });
}

/** Overwrites the part of the range that is in `bytes`. @param origin offset of `bytes` in the file */
function apply({ start, end, head }: Patch, bytes: Buffer, origin: number): void {
  const from = Math.max(start - origin, 0);
  bytes.fill(0, from, Math.min(end - origin, bytes.length));
  const skipped = Math.max(origin - start, 0);
  if (head && skipped < head.length) head.copy(bytes, from, skipped);
}
