import { ApiError, NetworkError, type FamilyWatchClient } from '@family-watch/client';
import { DetailedError, Upload } from 'tus-js-client';
import { findBegunUpload, forgetUpload, rememberUpload, type BegunUpload } from './begun-uploads.js';
import { toOwnOrigin } from './own-origin.js';

/** Milliseconds before each attempt to continue after a lost connection, about four minutes in all. */
const RETRY_DELAYS_MS = [500, 1_000, 3_000, 10_000, 30_000, 60_000, 60_000, 60_000];
/** Larger files are uploaded without a digest, because computing it needs the whole file in memory. */
const MAX_DIGEST_BYTES = 32 * 1_024 * 1_024;

export interface UploadOptions {
  signal: AbortSignal;
  /** The uploaded part of the file, 0 to 1. */
  onProgress: (progress: number) => void;
  /** From {@link digestOf}, if it is known already. */
  digest?: string | undefined;
}

/**
 * Uploads a file to a family cloud and resolves with its `contentID`. An upload that was interrupted continues where it
 * stopped: after a lost connection by itself, and after the page was closed when the person chooses the file again.
 * @throws ApiError, NetworkError; the reason of `signal` when it is aborted, which also gives back the reserved space
 */
export async function uploadFile(
  client: FamilyWatchClient,
  cloudID: string,
  file: File,
  { signal, onProgress, digest: knownDigest }: UploadOptions,
): Promise<string> {
  const begun = await findBegunUpload(cloudID, file);
  if (begun) {
    try {
      return await transfer(client, begun, file, { signal, onProgress });
    } catch (error) {
      // The service has deleted the upload, which happens a day after its last byte.
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      await forgetUpload(begun);
    }
  }
  const digest = knownDigest ?? (await digestOf(file));
  signal.throwIfAborted();
  const { uploadResult } = await client.familyCloud.getFileUploadURL(
    { cloudID, uploadContentList: [{ contentName: file.name, contentSize: file.size, digest }] },
    { signal },
  );
  const { uploadTaskID, newContentIDList } = uploadResult;
  const [content] = newContentIDList;
  if (!content) throw new NetworkError('The response names no file');
  const { contentID, isNeedUpload, tusURL } = content;
  if (!isNeedUpload) {
    await client.familyCloud.completeUpload({ cloudID, uploadTaskID });
    return contentID;
  }
  const upload = await rememberUpload(cloudID, file, {
    ...{ cloudID, uploadTaskID, contentID },
    tusURL: toOwnOrigin(tusURL),
  });
  return transfer(client, upload, file, { signal, onProgress });
}

async function transfer(
  client: FamilyWatchClient,
  upload: BegunUpload,
  file: File,
  { signal, onProgress }: UploadOptions,
): Promise<string> {
  const { cloudID, uploadTaskID, contentID } = upload;
  try {
    await sendBytes(upload.tusURL, file, { signal, onProgress });
    await client.familyCloud.completeUpload({ cloudID, uploadTaskID }, { signal });
  } catch (error) {
    if (signal.aborted) {
      await forgetUpload(upload);
      // If the service cannot be reached, it gives back the space a day later.
      await client.familyCloud.abortUpload({ cloudID, uploadTaskID }).catch(() => undefined);
    }
    throw error;
  }
  await forgetUpload(upload);
  return contentID;
}

function sendBytes(tusURL: string, file: File, { signal, onProgress }: UploadOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const upload = new Upload(file, {
      uploadUrl: tusURL,
      retryDelays: RETRY_DELAYS_MS,
      storeFingerprintForResuming: false,
      onProgress: (sent, total) => onProgress(total === 0 ? 1 : sent / total),
      onSuccess: () => resolve(),
      onError: (error) => reject(toServiceError(error)),
    });
    signal.addEventListener('abort', () => {
      void upload.abort();
      reject(signal.reason as Error);
    });
    if (signal.aborted) reject(signal.reason as Error);
    else upload.start();
  });
}

function toServiceError(error: Error): Error {
  const response = error instanceof DetailedError ? error.originalResponse : null;
  if (!response) return new NetworkError('The connection was lost', { cause: error });
  const status = response.getStatus();
  try {
    const { code, reason, msg } = JSON.parse(response.getBody()) as { code: number; reason: never; msg: string };
    return new ApiError({ status, code, reason, message: msg });
  } catch {
    return new ApiError({ status, code: 0, reason: 'UNKNOWN', message: error.message });
  }
}

/** Returns the SHA-256 of a file in hexadecimal, by which the service knows files; undefined for large files. */
export async function digestOf(file: File): Promise<string | undefined> {
  if (file.size > MAX_DIGEST_BYTES) return undefined;
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
