const STSC_HEADER_BYTES = 8;
const STSC_ENTRY_BYTES = 12;
const STSZ_HEADER_BYTES = 12;
const STSZ_ENTRY_BYTES = 4;

/**
 * Returns the length of each chunk of a track: the sum of its sample sizes (8.7.3 and 8.7.4 of ISO 14496-12).
 * @param stsc body of the sample-to-chunk box
 * @param stsz body of the sample size box
 * @param chunks number of chunks
 * @returns `undefined` when the exact lengths are unknown, as with a single size for all samples, which is only a
 * nominal size for sound in QuickTime
 */
export function chunkLengths(stsc: Buffer, stsz: Buffer, chunks: number): number[] | undefined {
  if (stsc.length < STSC_HEADER_BYTES || stsz.length < STSZ_HEADER_BYTES || stsz.readUInt32BE(4) !== 0)
    return undefined;
  const runs = stsc.readUInt32BE(4);
  const samples = stsz.readUInt32BE(8);
  if (runs === 0 || stsc.length < STSC_HEADER_BYTES + runs * STSC_ENTRY_BYTES) return undefined;
  if (stsz.length < STSZ_HEADER_BYTES + samples * STSZ_ENTRY_BYTES) return undefined;
  const runField = (run: number, field: number) =>
    stsc.readUInt32BE(STSC_HEADER_BYTES + run * STSC_ENTRY_BYTES + field * 4);
  const lengths: number[] = [];
  let [run, sample] = [0, 0];
  for (let chunk = 1; chunk <= chunks; chunk += 1) {
    while (run + 1 < runs && runField(run + 1, 0) <= chunk) run += 1;
    const end = sample + runField(run, 1);
    if (end > samples) return undefined;
    let length = 0;
    for (; sample < end; sample += 1) length += stsz.readUInt32BE(STSZ_HEADER_BYTES + sample * STSZ_ENTRY_BYTES);
    lengths.push(length);
  }
  return sample === samples ? lengths : undefined;
}
