/** Returns the bytes that RFC 9110, section 14.1.2, defines for a range. */
export function expectedRange(bytes: Buffer, first: number | '', last: number | '') {
  const size = bytes.length;
  const wholeFile = { status: 200, body: bytes, contentRange: null };
  if (first === '' && last === '') return wholeFile;
  if (first === '') {
    const body = last === 0 ? Buffer.alloc(0) : bytes.subarray(-Number(last));
    if (body.length === 0) return { status: 416, body, contentRange: `bytes */${size}` };
    return { status: 206, body, contentRange: `bytes ${size - body.length}-${size - 1}/${size}` };
  }
  if (last !== '' && last < first) return wholeFile;
  const body = bytes.subarray(first, last === '' ? size : last + 1);
  if (body.length === 0) return { status: 416, body, contentRange: `bytes */${size}` };
  return { status: 206, body, contentRange: `bytes ${first}-${first + body.length - 1}/${size}` };
}
