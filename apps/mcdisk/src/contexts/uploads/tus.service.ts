import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Server } from '@tus/server';
import type { Locker } from '@tus/server';
import { MAX_UPLOAD_BYTES } from '@family-watch/domain/family-cloud/contracts/content';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/upload';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UploadAppendService } from './upload-append.service.js';
import { sentContentType } from './raw-body.js';
import { toServiceError } from './tus-errors.js';
import type { TusExchange } from './tus-exchange.js';
import { TusUploadStore } from './tus-upload-store.js';
import { UploadAccessService } from './upload-access.service.js';
import { UploadTerminationService } from './upload-termination.service.js';
import { UploadLeasesService } from './upload-leases.service.js';

/** The only headers that the protocol is told of: what a proxy adds must not decide anything. */
const HEADERS = [
  'tus-resumable',
  'upload-offset',
  'upload-length',
  'upload-defer-length',
  'upload-metadata',
  'upload-concat',
  'content-length',
];

export interface TusAnswer {
  status: number;
  headers: Record<string, string>;
  /** Empty when there is nothing to say. */
  text: string;
}

/** Resumable uploads by the tus protocol 1.0.0 (https://tus.io/protocols/resumable-upload) for files that were announced. */
@Injectable()
export class TusService {
  private readonly exchanges = new AsyncLocalStorage<TusExchange>();
  private readonly server: Server;

  constructor(
    private readonly door: UploadAccessService,
    private readonly leases: UploadLeasesService,
    appending: UploadAppendService,
    ending: UploadTerminationService,
  ) {
    this.server = new Server({
      path: '/',
      datastore: new TusUploadStore(() => this.current(), appending, ending),
      locker: this.locker(),
      maxSize: MAX_UPLOAD_BYTES,
      respectForwardedHeaders: false,
      // As everywhere here: no page of another origin is let in.
      allowedOrigins: [],
      disableTerminationForFinishedUploads: true,
      onResponseError: (_, error) => {
        this.current().error = toServiceError(error);
        return undefined;
      },
    });
  }

  /** What this server can do; the same for every address. */
  async options(): Promise<TusAnswer> {
    return answerOf(await this.server.handleWeb(new Request('http://tus/', { method: 'OPTIONS' })));
  }

  /**
   * HEAD, PATCH or DELETE at the address of an upload.
   * @throws ServiceError UPLOAD_NOT_FOUND, UPLOAD_STATE, UPLOAD_LOCKED, UPLOAD_OFFSET, BODY_TOO_LARGE,
   * DIGEST_MISMATCH, MEDIA_TYPE_UNSUPPORTED, MALFORMED_REQUEST, STORE_FULL or STORE_UNAVAILABLE
   */
  async handle(token: string, source: IncomingMessage): Promise<TusAnswer> {
    const exchange: TusExchange = { source, upload: await this.door.resolve(token) };
    const request = requestOf(exchange);
    const response = await this.exchanges.run(exchange, () => this.server.handleWeb(request));
    if (exchange.error) throw exchange.error;
    const answer = answerOf(response, await response.text());
    if (exchange.receipt !== undefined) answer.headers['upload-receipt'] = exchange.receipt;
    else if (answer.status < 300) answer.headers['upload-expires'] = new Date(exchange.upload.expiresAt).toUTCString();
    return answer;
  }

  private current(): TusExchange {
    const exchange = this.exchanges.getStore();
    if (!exchange) throw new Error('There is no request of the tus protocol here');
    return exchange;
  }

  /** What is complete is changed by nobody any more and needs no lease. */
  private locker(): Locker {
    return {
      newLock: (id) => ({
        lock: async () => {
          const exchange = this.current();
          if (exchange.upload.state === UPLOAD_STATE.COMPLETE) return;
          exchange.lease = await this.leases.acquire(id);
          exchange.upload = exchange.lease.upload;
        },
        unlock: async () => {
          const { lease } = this.current();
          if (lease) await this.leases.release(lease);
        },
      }),
    };
  }
}

/** The request as the protocol sees it: without its body, and named by the upload instead of its secret. */
function requestOf({ source, upload }: TusExchange): Request {
  const headers = new Headers();
  for (const name of HEADERS) {
    const value = source.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  const type = sentContentType(source);
  // "If the client sends any other Content-Type, the server SHOULD respond with 415" (PATCH).
  if (source.method === 'PATCH' && type !== 'application/offset+octet-stream') {
    throw new ServiceError('MEDIA_TYPE_UNSUPPORTED');
  }
  if (type !== undefined) headers.set('content-type', type);
  return new Request(`http://tus/${upload.contentId}`, { method: source.method, headers });
}

function answerOf(response: Response, text = ''): TusAnswer {
  return { status: response.status, headers: Object.fromEntries(response.headers), text };
}
