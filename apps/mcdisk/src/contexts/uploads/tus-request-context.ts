import type { IncomingMessage } from 'node:http';
import type { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import type { UploadLease } from './upload-leases.service.js';

/** State of a tus request that is being processed. */
export interface TusRequestContext {
  /**
   * The request, from which the body is read directly, because the streams of the tus server would copy every chunk.
   */
  source: IncomingMessage;
  /** The upload of the request, which is the upload of the lease once the lease is acquired. */
  upload: UploadEntity;
  lease?: UploadLease;
  /** Value of the response header `upload-receipt`; set when the content is committed. */
  uploadReceipt?: string;
  /** The error with which the request failed, if any. */
  error?: Error;
}
