import { Injectable } from '@nestjs/common';
import { Environment } from '@family-watch/platform/config/environment';
import { EnvironmentError } from '@family-watch/platform/config/load-environment';
import { BlobStore } from '../blobs/blob-store.js';
import type { ByteRange } from '../blobs/blob-store.js';
import type { RequestHeaders } from './precondition.js';
import type { ReadableFile } from './readable-file.js';

const X_ACCEL = 'x-accel:';
/** Named only to check at the start whether the store has files at all. */
const ANY_KEY = '00000000-0000-4000-8000-000000000000';
/** Less is quicker sent than handed over. Bytes. */
const MIN_BYTES = 32 * 1024;

/**
 * Hands the sending of bytes to the proxy in front, once everything has been checked here: nginx reads the file that
 * X-Accel-Redirect names below an address that is open to nobody else.
 */
@Injectable()
export class FileOffload {
  /** Address below which the proxy has the root of the store; `undefined`: bytes are sent from here. */
  private readonly prefix: string | undefined;

  /** @throws EnvironmentError for a store without files */
  constructor(
    { FILE_OFFLOAD }: Environment,
    private readonly store: BlobStore,
  ) {
    this.prefix = FILE_OFFLOAD?.slice(X_ACCEL.length);
    if (this.prefix !== undefined && store.pathOf(ANY_KEY) === undefined) {
      throw new EnvironmentError(['FILE_OFFLOAD works with files on a local disk only']);
    }
  }

  /**
   * Where the proxy finds the file; `undefined` when the bytes are better sent from here: because they are few, or
   * because the proxy would read the request in another way than we do.
   * @param range what we found to be asked for; `undefined`: all
   */
  offloadPathOf(
    { blobKey, size }: Pick<ReadableFile, 'blobKey' | 'size'>,
    range: ByteRange | undefined,
    { method, headers }: { method: string; headers: RequestHeaders },
  ): string | undefined {
    if (this.prefix === undefined || size <= MIN_BYTES || method !== 'GET') return undefined;
    const ignoredRange = headers['range'] !== undefined && range === undefined;
    // These it would compare with what it knows of the file, and not with what we know of the content.
    const conditional = headers['if-match'] !== undefined || headers['if-unmodified-since'] !== undefined;
    return ignoredRange || conditional ? undefined : `${this.prefix}${this.store.pathOf(blobKey)}`;
  }
}
