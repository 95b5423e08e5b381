import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { Environment } from '@family-watch/platform/config/environment';
import { EnvironmentError } from '@family-watch/platform/config/load-environment';
import { BlobStore, type ByteRange } from '../../storage/blobs/blob-store.js';
import { BlobByteCache, MAX_CACHED_BYTES } from './blob-byte-cache.js';
import { writeBytes, StreamingResponseService, type StreamReader } from './streaming-response.service.js';
import { contentDisposition, servedType, type ReadableFile } from './readable-file.js';
import { entityTagOf, formatHttpDate, evaluatePreconditions, type RequestHeaders } from './conditional-request.js';

const X_ACCEL_SCHEME = 'x-accel:';
/** Key that is used only to check at startup whether the store has files. */
const SAMPLE_KEY = '00000000-0000-4000-8000-000000000000';
/** Maximum size of the files that mcdisk sends itself, because for small files this is faster than the proxy. */
const MAX_DIRECTLY_SENT_BYTES = 32 * 1024;

/**
 * Headers of every response about a file. These headers forbid clients to guess the file's type, to execute the file,
 * and to store the file in shared caches.
 */
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'private, no-cache',
  'referrer-policy': 'no-referrer',
};

const RANGE_HEADERS = { 'accept-ranges': 'bytes' };

/** A file to send, and the principal who reads it. */
export interface OpenedFile {
  file: ReadableFile;
  reader: StreamReader;
}

interface ResponseContext {
  request: FastifyRequest;
  reply: FastifyReply;
  /** Headers of every response about the file. */
  headers: Record<string, string>;
}

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
   * Returns the path below which the proxy finds the file. Returns `undefined` when mcdisk must send the bytes itself,
   * because the file is small or the proxy would evaluate the request differently.
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

/** Responds to GET and HEAD requests of a file whose access was checked (RFC 9110). */
@Injectable()
export class FileResponse {
  /** Milliseconds. */
  private readonly stallTimeout: number;

  constructor(
    private readonly bytes: BlobByteCache,
    private readonly offload: FileOffload,
    private readonly streamingResponses: StreamingResponseService,
    { HTTP_STALL_TIMEOUT }: Environment,
  ) {
    this.stallTimeout = HTTP_STALL_TIMEOUT * 1_000;
  }

  /**
   * Sends the response.
   * @throws ServiceError PRECONDITION_FAILED, RANGE_NOT_SATISFIABLE, RATE_LIMITED
   * @throws BlobMissingError; in this case nothing was sent
   */
  async send({ file, reader }: OpenedFile, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { size, modifiedAt } = file;
    const tag = entityTagOf(file.digest);
    const result = evaluatePreconditions(request.headers, { tag, size, modifiedAt });
    const headers = { ...SECURITY_HEADERS, etag: tag, 'last-modified': formatHttpDate(modifiedAt) };
    if (result.kind === 'bytes') return this.sendBytes({ file, reader }, result.range, { request, reply, headers });
    void reply.headers({ ...headers, ...RANGE_HEADERS });
    switch (result.kind) {
      case 'failed':
        throw new ServiceError('PRECONDITION_FAILED');
      case 'unmodified':
        return void reply.code(304).send();
      case 'unsatisfiable':
        void reply.header('content-range', `bytes */${size}`);
        throw new ServiceError('RANGE_NOT_SATISFIABLE');
    }
  }

  private async sendBytes(
    { file, reader }: OpenedFile,
    range: ByteRange | undefined,
    { request, reply, headers }: ResponseContext,
  ): Promise<void> {
    const { mediaType, name } = file;
    const fileHeaders = {
      ...headers,
      'content-type': servedType(mediaType),
      'content-disposition': contentDisposition(name),
    };
    const offloadPath = this.offload.offloadPathOf(file, range, request);
    if (offloadPath !== undefined) {
      // The proxy sets Content-Length, Content-Range and Accept-Ranges itself.
      const offloadHeaders = { ...fileHeaders, 'x-accel-redirect': offloadPath, 'content-length': 0 };
      return void writeHead(reply, 200, offloadHeaders).end();
    }
    const length = range ? range.end - range.start + 1 : file.size;
    const code = range ? 206 : 200;
    const rangeHeaders = range ? { 'content-range': `bytes ${range.start}-${range.end}/${file.size}` } : {};
    const responseHeaders = { ...fileHeaders, ...RANGE_HEADERS, ...rangeHeaders, 'content-length': length };
    if (request.method === 'HEAD') return void writeHead(reply, code, responseHeaders).end();
    const sendBody = async () => {
      // The blob is opened before the headers are sent, so that a failure still results in an error response.
      const bytes = await this.bytes.open(file.blobKey, file.size, range);
      await writeBytes(bytes, writeHead(reply, code, responseHeaders), { length, stallTimeout: this.stallTimeout });
    };
    return length > MAX_CACHED_BYTES ? this.streamingResponses.run(reader, reply.raw, sendBody) : sendBody();
  }
}

/** Sends the headers and returns the raw response. Bypasses Fastify, which would wrap the bytes in streams. */
function writeHead(reply: FastifyReply, code: number, headers: OutgoingHttpHeaders): ServerResponse {
  reply.hijack();
  return reply.raw.writeHead(code, { ...reply.getHeaders(), ...headers } as OutgoingHttpHeaders);
}
