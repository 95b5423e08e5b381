import type { IncomingMessage } from 'node:http';
import type { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import type { UploadLease } from './upload-lease.js';

/** A tus request that is being processed. */
export interface TusExchange {
  /**
   * The request, from which the body is read directly, because the streams of the tus server would copy every chunk.
   */
  source: IncomingMessage;
  /** The upload of the request, which is the upload of the lease once the lease is acquired. */
  upload: UploadEntity;
  lease?: UploadLease;
  /** Receipt of the upload; set when the content is committed. */
  receipt?: string;
  /** The error with which the request failed, if any. */
  error?: Error;
}
