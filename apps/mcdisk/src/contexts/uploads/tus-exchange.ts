import type { IncomingMessage } from 'node:http';
import type { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import type { UploadLease } from './upload-lease.js';

/** A tus request that is being processed. */
export interface TusExchange {
  /** Source of the body. It is read directly, because the tus server's streams would copy every chunk. */
  source: IncomingMessage;
  /** The upload as it was resolved, or as the lease has it. */
  upload: UploadEntity;
  lease?: UploadLease;
  /** Set once the content is committed. */
  receipt?: string;
  /** The error of the request. */
  error?: Error;
}
