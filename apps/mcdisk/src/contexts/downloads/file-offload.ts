import { Injectable } from '@nestjs/common';
import { Environment } from '@family-watch/platform/config/environment';
import { EnvironmentError } from '@family-watch/platform/config/load-environment';
import { BlobStore } from '../storage/blobs/blob-store.js';
import type { ByteRange } from '../storage/blobs/blob-store.js';
import type { RequestHeaders } from './precondition.js';
import type { ReadableFile } from './readable-file.js';

const X_ACCEL_SCHEME = 'x-accel:';
/** Key that is used only to check at startup whether the store has files. */
const SAMPLE_KEY = '00000000-0000-4000-8000-000000000000';
/** Maximum size of the files that mcdisk sends itself instead of the proxy, which is faster for small files. */
const MAX_DIRECTLY_SENT_BYTES = 32 * 1024;

/**
 * Offloads the sending of files to the reverse proxy after all checks: nginx sends the file that X-Accel-Redirect names
 * below an internal location that clients cannot request.
 */
@Injectable()
export class FileOffload {
  /**
   * Internal location of the proxy that maps to the root of the store, or `undefined` when mcdisk sends all bytes
   * itself.
   */
  private readonly prefix: string | undefined;

  /** @throws EnvironmentError for a store without files */
  constructor(
    { FILE_OFFLOAD }: Environment,
    private readonly store: BlobStore,
  ) {
    this.prefix = FILE_OFFLOAD?.slice(X_ACCEL_SCHEME.length);
    if (this.prefix !== undefined && store.relativePathOf(SAMPLE_KEY) === undefined) {
      throw new EnvironmentError(['FILE_OFFLOAD requires a blob store on a local disk']);
    }
  }

  /**
   * Returns the path of the file in the proxy. Returns `undefined` when mcdisk must send the bytes itself, because the
   * file is small or the proxy would evaluate the request differently.
   * @param range the range that mcdisk evaluated, or `undefined` for the whole file
   */
  offloadPathOf(
    { blobKey, size }: Pick<ReadableFile, 'blobKey' | 'size'>,
    range: ByteRange | undefined,
    { method, headers }: { method: string; headers: RequestHeaders },
  ): string | undefined {
    if (this.prefix === undefined || size <= MAX_DIRECTLY_SENT_BYTES || method !== 'GET') return undefined;
    const hasIgnoredRange = headers['range'] !== undefined && range === undefined;
    // The proxy would compare conditional headers with the file on disk and not with the content.
    const isConditional = headers['if-match'] !== undefined || headers['if-unmodified-since'] !== undefined;
    return hasIgnoredRange || isConditional ? undefined : `${this.prefix}${this.store.relativePathOf(blobKey)}`;
  }
}
