import { request } from 'node:http';
import { Upload, type UploadOptions } from 'tus-js-client';

const TUS_HEADERS = { 'tus-resumable': '1.0.0' };
const APPEND_HEADERS = { ...TUS_HEADERS, 'content-type': 'application/offset+octet-stream' };

/** The response to a tus request. */
export interface TusResponse {
  status: number;
  headers: Headers;
  text: string;
  /** The `reason` in the body of an error response. */
  reason?: string;
}

export async function headUpload(url: string, headers: Record<string, string> = TUS_HEADERS): Promise<TusResponse> {
  return toTusResponse(await fetch(url, { method: 'HEAD', headers }));
}

export async function patchUpload(
  url: string,
  offset: number,
  body: Uint8Array | ReadableStream,
  headers: Record<string, string> = {},
): Promise<TusResponse> {
  const all = { ...APPEND_HEADERS, 'upload-offset': String(offset), ...headers };
  return toTusResponse(await fetch(url, { method: 'PATCH', headers: all, body, duplex: 'half' }));
}

export async function deleteUpload(url: string): Promise<TusResponse> {
  return toTusResponse(await fetch(url, { method: 'DELETE', headers: TUS_HEADERS }));
}

/** Sends HEAD and returns the `Upload-Offset` of the response. */
export async function offsetOf(url: string): Promise<number> {
  return Number((await headUpload(url)).headers.get('upload-offset'));
}

/**
 * Starts a PATCH that announces `length` bytes, sends only the bytes `first`, and stays open. `abort` closes the
 * connection.
 */
export function openPatch(url: string, offset: number, length: number, first: Uint8Array) {
  const headers = { ...APPEND_HEADERS, 'upload-offset': offset, 'content-length': length };
  const sending = request(url, { method: 'PATCH', headers });
  const status = new Promise<number | undefined>((resolve) => {
    sending.once('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sending.once('error', () => resolve(undefined));
  });
  sending.write(first);
  return {
    status,
    write: (bytes: Uint8Array) => void sending.write(bytes),
    abort: () => void sending.destroy(),
  };
}

/** Uploads with tus-js-client to an announced upload URL, starting at the offset that the server returns. */
export function tusUpload(url: string, bytes: Buffer, options: Partial<UploadOptions> = {}) {
  const done = Promise.withResolvers<void>();
  const upload = new Upload(bytes, {
    uploadUrl: url,
    uploadSize: bytes.length,
    retryDelays: null,
    storeFingerprintForResuming: false,
    ...options,
    onSuccess: () => done.resolve(),
    onError: (error) => done.reject(error),
  });
  upload.start();
  return { upload, done: done.promise };
}

async function toTusResponse(response: Response): Promise<TusResponse> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && text !== '';
  const reason = isJson ? (JSON.parse(text) as { reason?: string }).reason : undefined;
  return { status: response.status, headers: response.headers, text, reason };
}
