import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { ByteRange } from '../blobs/blob-store.js';
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

/** On every answer with or about bytes: nothing guesses their type, runs them, or keeps them for somebody else. */
const GUARDS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'private, no-cache',
  'referrer-policy': 'no-referrer',
};
const RANGES = { 'accept-ranges': 'bytes' };

interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
  /** Of every answer about these bytes. */
  headers: Record<string, string>;
}

/** The answer to a GET or HEAD of a file that the asker may read (RFC 9110). */
@Injectable()
export class FileResponse {
  constructor(
    private readonly bytes: BlobByteCache,
    private readonly offload: FileOffload,
    private readonly longAnswers: StreamingResponseService,
  ) {}

  /**
   * @throws ServiceError PRECONDITION_FAILED, RANGE_NOT_SATISFIABLE, RATE_LIMITED; BlobMissingError before anything was
   * sent
   */
  async send({ file, reading }: OpenedFile, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { size, modifiedAt } = file;
    const tag = entityTagOf(file.digest);
    const verdict = evaluatePreconditions(request.headers, { tag, size, modifiedAt });
    const headers = { ...GUARDS, etag: tag, 'last-modified': formatHttpDate(modifiedAt) };
    if (verdict.kind === 'bytes') return this.sendBytes({ file, reading }, verdict.range, { request, reply, headers });
    void reply.headers({ ...headers, ...RANGES });
    switch (verdict.kind) {
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
    { file, reading }: OpenedFile,
    range: ByteRange | undefined,
    { request, reply, headers }: Exchange,
  ): Promise<void> {
    const { mediaType, name } = file;
    const ofFile = {
      ...headers,
      'content-type': servedType(mediaType),
      'content-disposition': contentDisposition(name),
    };
    const address = this.offload.offloadPathOf(file, range, request);
    if (address !== undefined) {
      // The proxy counts the bytes and cuts out the range, and says itself that it can.
      const handedOver = { ...ofFile, 'x-accel-redirect': address, 'content-length': 0 };
      return void begin(reply, 200, handedOver).end();
    }
    const length = range ? range.end - range.start + 1 : file.size;
    const code = range ? 206 : 200;
    const part = range ? { 'content-range': `bytes ${range.start}-${range.end}/${file.size}` } : {};
    const all = { ...ofFile, ...RANGES, ...part, 'content-length': length };
    if (request.method === 'HEAD') return void begin(reply, code, all).end();
    const sendAll = async () => {
      // Before any header: an error would go out as a file.
      const bytes = await this.bytes.open(file.blobKey, file.size, range);
      await writeBytes(bytes, begin(reply, code, all), length);
    };
    return length > MAX_CACHED_BYTES ? this.longAnswers.run(reading, reply.raw, sendAll) : sendAll();
  }
}

/** Past the framework, which would wrap the bytes in streams of its own. @returns what takes them */
function begin(reply: FastifyReply, code: number, headers: OutgoingHttpHeaders): ServerResponse {
  reply.hijack();
  return reply.raw.writeHead(code, { ...reply.getHeaders(), ...headers } as OutgoingHttpHeaders);
}
