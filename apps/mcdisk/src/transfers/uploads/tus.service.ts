import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { AsyncLocalStorage } from 'node:async_hooks';
import { ERRORS, DataStore, Upload, Server, TUS_RESUMABLE, type Locker } from '@tus/server';
import { Injectable } from '@nestjs/common';
import type { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import { MAX_UPLOAD_BYTES } from '@family-watch/domain/family-cloud/contracts/content';
import { UploadLeasesService, type UploadLease } from './upload-leases.service.js';
import { toUploadReceipt } from './finished-upload.js';
import { UploadAppendService } from './upload-append.service.js';
import { sentContentType } from './raw-body.js';
import { UploadSessionService } from './upload-session.service.js';
import { UploadTerminationService } from './upload-termination.service.js';

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

/** The tus server rejects an extension that it does not support with this status, although the request is at fault. */
const STATUS_NOT_IMPLEMENTED = 501;

/** Error reasons of the service for the errors of the tus server. */
const REASON_BY_ERROR = new Map<unknown, ErrorReason>([
  [ERRORS.FILE_NOT_FOUND, 'UPLOAD_NOT_FOUND'],
  [ERRORS.INVALID_OFFSET, 'UPLOAD_OFFSET'],
  [ERRORS.ERR_SIZE_EXCEEDED, 'BODY_TOO_LARGE'],
  [ERRORS.INVALID_TERMINATION, 'UPLOAD_STATE'],
]);

/** Converts an error with which the tus server rejects a request to a ServiceError; returns other errors unchanged. */
function toServiceError(error: unknown): Error {
  const reason = REASON_BY_ERROR.get(error);
  if (reason) return new ServiceError(reason);
  const status = (error as { status_code?: unknown } | null)?.status_code;
  if (typeof status === 'number' && (status < 500 || status === STATUS_NOT_IMPLEMENTED))
    return new ServiceError('MALFORMED_REQUEST', { cause: error });
  return error instanceof Error ? error : new Error('The tus server failed', { cause: error });
}

/** Returns the error for a response with which the tus server has rejected the headers of a request. */
function toRejection(text: string): ServiceError {
  const details = [{ field: 'headers', rule: 'supported', message: text.trim() }];
  return new ServiceError('MALFORMED_REQUEST', { details });
}

const { PENDING, RECEIVING, COMPLETE } = UPLOAD_STATE;

/** The only request headers that are passed to the tus server, so that headers added by a proxy have no effect. */
const FORWARDED_HEADERS = [
  'tus-resumable',
  'upload-offset',
  'upload-length',
  'upload-defer-length',
  'upload-metadata',
  'upload-concat',
  'content-length',
];

export interface TusResponse {
  status: number;
  headers: Record<string, string>;
  /** Body of the response, empty for a response without a body. */
  text: string;
}

/** Implements the data store of the tus server with the table of uploads and the blob store. */
class TusUploadStore extends DataStore {
  override extensions = ['termination', 'expiration'];

  constructor(
    private readonly currentContext: () => TusRequestContext,
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
    const context = this.currentContext();
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
    const context = this.currentContext();
    const { lease } = context;
    if (!lease || lease.upload.state === COMPLETE) return context.upload.size;
    await this.uploadAppend.append(lease, context.source);
    await this.commitIfComplete(context, lease);
    return lease.upload.receivedSize;
  }

  override async remove(): Promise<void> {
    const { lease, upload } = this.currentContext();
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

/** Resumable uploads by the tus protocol 1.0.0 (https://tus.io/protocols/resumable-upload) of announced files. */
@Injectable()
export class TusService {
  private readonly requestContexts = new AsyncLocalStorage<TusRequestContext>();
  private readonly server: Server;

  constructor(
    private readonly sessions: UploadSessionService,
    private readonly leases: UploadLeasesService,
    uploadAppend: UploadAppendService,
    uploadTermination: UploadTerminationService,
  ) {
    this.server = new Server({
      path: '/',
      datastore: new TusUploadStore(() => this.currentContext(), uploadAppend, uploadTermination),
      locker: this.createLocker(),
      maxSize: MAX_UPLOAD_BYTES,
      respectForwardedHeaders: false,
      // Requests from other origins are not allowed, as in the rest of the service.
      allowedOrigins: [],
      disableTerminationForFinishedUploads: true,
      onResponseError: (_, error) => {
        this.currentContext().error = toServiceError(error);
        return undefined;
      },
    });
  }

  /** Returns the tus capabilities of the server, which are the same for every URL. */
  async options(): Promise<TusResponse> {
    return toTusResponse(await this.server.handleWeb(new Request('http://tus/', { method: 'OPTIONS' })));
  }

  /**
   * Handles HEAD, PATCH or DELETE at an upload's URL.
   * @throws ServiceError UPLOAD_NOT_FOUND, UPLOAD_STATE, UPLOAD_LOCKED, UPLOAD_OFFSET, BODY_TOO_LARGE,
   * DIGEST_MISMATCH, MEDIA_TYPE_UNSUPPORTED, MALFORMED_REQUEST, PRECONDITION_FAILED, STORE_FULL or STORE_UNAVAILABLE
   */
  async handle(token: string, source: IncomingMessage, ip: string): Promise<TusResponse> {
    const context: TusRequestContext = { source, upload: await this.sessions.resolve(token, ip) };
    const request = toTusRequest(context);
    const response = await this.requestContexts.run(context, () => this.server.handleWeb(request));
    if (context.error) throw context.error;
    const text = await response.text();
    if (response.status >= 400) throw toRejection(text);
    const result = toTusResponse(response, text);
    if (context.uploadReceipt !== undefined) result.headers['upload-receipt'] = context.uploadReceipt;
    else if (result.status < 300) result.headers['upload-expires'] = new Date(context.upload.expiresAt).toUTCString();
    return result;
  }

  private currentContext(): TusRequestContext {
    const context = this.requestContexts.getStore();
    if (!context) throw new Error('No tus request is being processed');
    return context;
  }

  /**
   * Returns a locker with which the tus server acquires the upload's lease. Complete uploads need no lease, because
   * they do not change any more.
   */
  private createLocker(): Locker {
    return {
      newLock: (id) => ({
        lock: async () => {
          const context = this.currentContext();
          if (context.upload.state === UPLOAD_STATE.COMPLETE) return;
          context.lease = await this.leases.acquire(id);
          context.upload = context.lease.upload;
        },
        unlock: async () => {
          const { lease } = this.currentContext();
          if (lease) await this.leases.release(lease);
        },
      }),
    };
  }
}

/**
 * Builds the request for the tus server, without a body and with the id of the upload instead of the secret token in
 * its URL.
 */
function toTusRequest({ source, upload }: TusRequestContext): Request {
  const headers = new Headers();
  for (const name of FORWARDED_HEADERS) {
    const value = source.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  // "If the version specified by the Client is not supported by the Server, it MUST respond with the 412 Precondition
  // Failed status" (tus, Tus-Resumable). The tus server itself would respond to an unsupported version with 400.
  if (source.headers['tus-resumable'] !== TUS_RESUMABLE) throw new ServiceError('PRECONDITION_FAILED');
  const type = sentContentType(source);
  // "If the client sends any other Content-Type, the server SHOULD respond with 415" (tus, PATCH).
  if (source.method === 'PATCH' && type !== 'application/offset+octet-stream') {
    throw new ServiceError('MEDIA_TYPE_UNSUPPORTED');
  }
  if (type !== undefined) headers.set('content-type', type);
  return new Request(`http://tus/${upload.contentId}`, { method: source.method, headers });
}

function toTusResponse(response: Response, text = ''): TusResponse {
  return { status: response.status, headers: Object.fromEntries(response.headers), text };
}
