/** Returns a range of a virtual file in which all four-byte words are different. The bytes are computed on demand. */
export function patternedBytes(start: number, end: number): Buffer {
  const first = Math.floor(start / 4);
  const words = new Uint32Array(Math.ceil(end / 4) - first);
  for (const index of words.keys()) words[index] = Math.imul(first + index, 2_654_435_761);
  const bytes = Buffer.from(words.buffer);
  return bytes.subarray(start - first * 4, end - first * 4);
}
