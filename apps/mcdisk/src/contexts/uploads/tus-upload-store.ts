import { Readable } from 'node:stream';
import { DataStore, Upload } from '@tus/server';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { UploadAppendService } from './upload-append.service.js';
import type { TusRequestContext } from './tus-request-context.js';
import type { UploadTerminationService } from './upload-termination.service.js';
import type { UploadLease } from './upload-leases.service.js';
import { toUploadReceipt } from './finished-upload.js';

const { PENDING, RECEIVING, COMPLETE } = UPLOAD_STATE;

/** Implements the data store of the tus server with the table of uploads and the blob store. */
export class TusUploadStore extends DataStore {
  override extensions = ['termination', 'expiration'];

  constructor(
    private readonly current: () => TusRequestContext,
    private readonly uploadAppend: UploadAppendService,
    private readonly uploadTermination: UploadTerminationService,
  ) {
    super();
  }

  /**
   * Returns the state of an upload. The offset equals the size only after the content is committed, because a client
   * that reads this offset sends no further request.
   * @throws ServiceError UPLOAD_NOT_FOUND when the upload ended without a content
   */
  override async getUpload(id: string): Promise<Upload> {
    const context = this.current();
    if (context.lease) await this.commitIfComplete(context, context.lease);
    const { state, size, receivedSize } = context.upload;
    if (state === COMPLETE) context.uploadReceipt ??= toUploadReceipt(context.upload).receipt;
    else if (state !== PENDING && state !== RECEIVING) throw new ServiceError('UPLOAD_NOT_FOUND');
    return new Upload({ id, size, offset: state === COMPLETE ? size : receivedSize });
  }

  /**
   * Appends the body of the request. Ignores the stream, which is empty, because the bytes are read from the request
   * itself.
   */
  override async write(stream: Readable): Promise<number> {
    stream.resume();
    const context = this.current();
    const { lease } = context;
    if (!lease || lease.upload.state === COMPLETE) return context.upload.size;
    await this.uploadAppend.append(lease, context.source);
    await this.commitIfComplete(context, lease);
    return lease.upload.receivedSize;
  }

  override async remove(): Promise<void> {
    const { lease, upload } = this.current();
    if (upload.state !== PENDING && upload.state !== RECEIVING) throw new ServiceError('UPLOAD_NOT_FOUND');
    await this.uploadTermination.abort(upload.contentId, lease?.holder);
  }

  private async commitIfComplete(context: TusRequestContext, lease: UploadLease): Promise<void> {
    if (lease.upload.size === 0 && lease.upload.state === PENDING) {
      await this.uploadAppend.append(lease, Readable.from([]));
    }
    if (this.uploadAppend.isComplete(lease)) context.uploadReceipt = (await this.uploadAppend.finish(lease)).receipt;
  }
}
