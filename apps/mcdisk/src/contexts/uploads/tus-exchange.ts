import type { IncomingMessage } from 'node:http';
import type { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import type { UploadLease } from './upload-lease.js';

/** One request of the tus protocol while it is under way. */
export interface TusExchange {
  /** Its body is read here and not through the protocol's streams, which would cost a copy per chunk. */
  source: IncomingMessage;
  /** As it was when the address was looked up, or as the lease has it. */
  upload: UploadEntity;
  lease?: UploadLease;
  /** Given once the content is committed. */
  receipt?: string;
  /** Why it failed. */
  error?: Error;
}
