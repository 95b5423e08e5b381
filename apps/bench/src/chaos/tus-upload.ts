import { NetworkError } from '@family-watch/client';

const TUS_HEADERS = { 'tus-resumable': '1.0.0' };
const PART_BYTES = 64 * 1024;
const REQUEST_TIMEOUT_MS = 15_000;
/** 409: another request changed the offset. 423: another request holds the lease. 429: the rate limit was exceeded. */
const RETRIED_STATUSES = [409, 423, 429];

/**
 * Uploads by tus, in parts, the bytes that the server does not have. The function is idempotent: a repeated call
 * resumes at the offset of the server.
 *
 * @throws NetworkError if a repeated call can succeed; Error if the service rejects the upload
 */
export async function uploadByTus(url: string, bytes: Buffer): Promise<void> {
  let offset = readOffset(await send(url, { method: 'HEAD', headers: TUS_HEADERS }));
  while (offset < bytes.length) {
    const headers = {
      ...TUS_HEADERS,
      'content-type': 'application/offset+octet-stream',
      'upload-offset': String(offset),
    };
    const body = bytes.subarray(offset, offset + PART_BYTES);
    offset = readOffset(await send(url, { method: 'PATCH', headers, body }));
  }
}

async function send(url: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    // Reads the body, because the connection can be reused only after the complete response.
    await response.arrayBuffer();
  } catch (cause) {
    throw new NetworkError('The upload URL cannot be reached', { cause });
  }
  const { status, ok } = response;
  if (ok) return response;
  const message = `${init.method ?? 'GET'} returned ${status}`;
  throw status >= 500 || RETRIED_STATUSES.includes(status) ? new NetworkError(message) : new Error(message);
}

function readOffset(response: Response): number {
  const text = response.headers.get('upload-offset');
  if (text === null) throw new Error('The response has no upload-offset header');
  return Number(text);
}
