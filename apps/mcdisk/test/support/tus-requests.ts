import { execFile } from 'node:child_process';
import { request } from 'node:http';
import { promisify } from 'node:util';
import { Upload } from 'tus-js-client';
import type { UploadOptions } from 'tus-js-client';

const RESUMABLE = { 'tus-resumable': '1.0.0' };
const APPENDING = { ...RESUMABLE, 'content-type': 'application/offset+octet-stream' };

/** An answer at the address of an upload. */
export interface TusAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The reason of a refusal. */
  reason?: string;
}

export async function headUpload(url: string, headers: Record<string, string> = RESUMABLE): Promise<TusAnswer> {
  return answerOf(await fetch(url, { method: 'HEAD', headers }));
}

export async function patchUpload(
  url: string,
  offset: number,
  body: Uint8Array | ReadableStream,
  headers: Record<string, string> = {},
): Promise<TusAnswer> {
  const all = { ...APPENDING, 'upload-offset': String(offset), ...headers };
  return answerOf(await fetch(url, { method: 'PATCH', headers: all, body, duplex: 'half' }));
}

export async function deleteUpload(url: string): Promise<TusAnswer> {
  return answerOf(await fetch(url, { method: 'DELETE', headers: RESUMABLE }));
}

/** Offset that HEAD tells. */
export async function offsetOf(url: string): Promise<number> {
  return Number((await headUpload(url)).headers.get('upload-offset'));
}

/** A PATCH that announces `length` bytes, sends some and stays open; `cut` breaks it off. */
export function openPatch(url: string, offset: number, length: number, first: Uint8Array) {
  const headers = { ...APPENDING, 'upload-offset': offset, 'content-length': length };
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
    cut: () => void sending.destroy(),
  };
}

/** One upload by tus-js-client to an address that was announced; it goes on where the server says. */
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

/** Runs curl as a person would at a terminal; the answer's head and body are in one text. */
export async function curl(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('curl', ['-sS', '-i', ...args]);
  return stdout;
}

async function answerOf(response: Response): Promise<TusAnswer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && text !== '';
  const reason = isJson ? (JSON.parse(text) as { reason?: string }).reason : undefined;
  return { status: response.status, headers: response.headers, text, reason };
}
