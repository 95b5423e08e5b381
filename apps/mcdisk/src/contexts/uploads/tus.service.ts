import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Server, TUS_RESUMABLE } from '@tus/server';
import type { Locker } from '@tus/server';
import { MAX_UPLOAD_BYTES } from '@family-watch/domain/family-cloud/contracts/content';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UploadAppendService } from './upload-append.service.js';
import { sentContentType } from './raw-body.js';
import { toRejection, toServiceError } from './tus-errors.js';
import type { TusRequestContext } from './tus-request-context.js';
import { TusUploadStore } from './tus-upload-store.js';
import { UploadAccessService } from './upload-access.service.js';
import { UploadTerminationService } from './upload-termination.service.js';
import { UploadLeasesService } from './upload-leases.service.js';

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

/** Resumable uploads by the tus protocol 1.0.0 (https://tus.io/protocols/resumable-upload) of announced files. */
@Injectable()
export class TusService {
  private readonly requestContexts = new AsyncLocalStorage<TusRequestContext>();
  private readonly server: Server;

  constructor(
    private readonly uploadAccess: UploadAccessService,
    private readonly leases: UploadLeasesService,
    uploadAppend: UploadAppendService,
    uploadTermination: UploadTerminationService,
  ) {
    this.server = new Server({
      path: '/',
      datastore: new TusUploadStore(() => this.currentContext(), uploadAppend, uploadTermination),
      locker: this.locker(),
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
    const context: TusRequestContext = { source, upload: await this.uploadAccess.resolve(token, ip) };
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
  private locker(): Locker {
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
