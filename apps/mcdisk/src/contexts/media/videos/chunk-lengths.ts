const TABLE_HEAD = 8;
const RUN_BYTES = 12;
const SIZES_HEAD = 12;
const SIZE_BYTES = 4;

/**
 * How many bytes each chunk of a track has: the sizes of its samples (8.7.3 and 8.7.4 of ISO 14496-12).
 * @param stsc body of the box that tells how many samples are in which chunks
 * @param stsz body of the box that tells how large each is
 * @param chunks how many there are
 * @returns `undefined` where that is not told exactly: one size for all samples is only nominal in QuickTime's sound
 */
export function chunkLengths(stsc: Buffer, stsz: Buffer, chunks: number): number[] | undefined {
  if (stsc.length < TABLE_HEAD || stsz.length < SIZES_HEAD || stsz.readUInt32BE(4) !== 0) return undefined;
  const runs = stsc.readUInt32BE(4);
  const samples = stsz.readUInt32BE(8);
  if (runs === 0 || stsc.length < TABLE_HEAD + runs * RUN_BYTES) return undefined;
  if (stsz.length < SIZES_HEAD + samples * SIZE_BYTES) return undefined;
  const runAt = (run: number, field: number) => stsc.readUInt32BE(TABLE_HEAD + run * RUN_BYTES + field * 4);
  const lengths: number[] = [];
  let [run, sample] = [0, 0];
  for (let chunk = 1; chunk <= chunks; chunk += 1) {
    while (run + 1 < runs && runAt(run + 1, 0) <= chunk) run += 1;
    const end = sample + runAt(run, 1);
    if (end > samples) return undefined;
    let length = 0;
    for (; sample < end; sample += 1) length += stsz.readUInt32BE(SIZES_HEAD + sample * SIZE_BYTES);
    lengths.push(length);
  }
  return sample === samples ? lengths : undefined;
}
