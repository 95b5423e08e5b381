import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { Environment } from '@family-watch/platform/config/environment';
import type { ByteRange } from '../storage/blobs/blob-store.js';
import { BlobByteCache, MAX_CACHED_BYTES } from './blob-byte-cache.js';
import { writeBytes } from './response-writer.js';
import { contentDisposition } from './content-disposition.js';
import { entityTagOf } from './entity-tag.js';
import type { OpenedFile } from './download.service.js';
import { FileOffload } from './file-offload.js';
import { formatHttpDate } from './http-date.js';
import { StreamingResponseService } from './streaming-response.service.js';
import { evaluatePreconditions } from './precondition.js';
import { servedType } from './served-type.js';

/**
 * Headers of every response about a file, which forbid clients to guess the file's type, to execute the file, and to
 * store it in shared caches.
 */
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'private, no-cache',
  'referrer-policy': 'no-referrer',
};
const RANGE_HEADERS = { 'accept-ranges': 'bytes' };

interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
  /** Headers of every response about the file. */
  headers: Record<string, string>;
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
    { request, reply, headers }: Exchange,
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
