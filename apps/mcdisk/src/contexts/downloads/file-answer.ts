import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OutgoingHttpHeaders } from 'node:http';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { ByteRange } from '../blobs/blob-store.js';
import { BlobBytes, MAX_CACHED_BYTES } from './blob-bytes.js';
import { pump } from './byte-pump.js';
import type { ByteSource } from './byte-source.js';
import { contentDisposition } from './content-disposition.js';
import { entityTagOf } from './entity-tag.js';
import type { OpenedFile } from './download.service.js';
import { FileOffload } from './file-offload.js';
import { formatHttpDate } from './http-date.js';
import { LongAnswers } from './long-answers.service.js';
import { judge } from './precondition.js';
import type { ReadableFile } from './readable-file.js';
import { servedType } from './served-type.js';

/** On every answer with or about bytes: nothing guesses their type, runs them, or keeps them for somebody else. */
const GUARDS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'private, no-cache',
  'referrer-policy': 'no-referrer',
  'accept-ranges': 'bytes',
};

/** The answer to a GET or HEAD of a file that the asker may read (RFC 9110). */
@Injectable()
export class FileAnswer {
  constructor(
    private readonly bytes: BlobBytes,
    private readonly offload: FileOffload,
    private readonly longAnswers: LongAnswers,
  ) {}

  /**
   * @throws ServiceError PRECONDITION_FAILED, RANGE_NOT_SATISFIABLE, RATE_LIMITED; BlobMissingError before anything was
   * sent
   */
  async send({ file, reading }: OpenedFile, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { size, modifiedAt } = file;
    const tag = entityTagOf(file.digest);
    const verdict = judge(request.headers, { tag, size, modifiedAt });
    void reply.headers({ ...GUARDS, etag: tag, 'last-modified': formatHttpDate(modifiedAt) });
    switch (verdict.kind) {
      case 'failed':
        throw new ServiceError('PRECONDITION_FAILED');
      case 'unmodified':
        return void reply.code(304).send();
      case 'unsatisfiable':
        void reply.header('content-range', `bytes */${size}`);
        throw new ServiceError('RANGE_NOT_SATISFIABLE');
      case 'bytes':
        return this.sendBytes({ file, reading }, verdict.range, request, reply);
    }
  }

  private async sendBytes(
    { file, reading }: OpenedFile,
    range: ByteRange | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const address = this.offload.addressOf(file, range, request);
    if (address !== undefined) {
      // The proxy cuts out the range, and says itself that it can.
      void reply.removeHeader('accept-ranges').headers({ ...about(file), 'x-accel-redirect': address });
      return void reply.send();
    }
    const length = range ? range.end - range.start + 1 : file.size;
    const code = range ? 206 : 200;
    const part = range ? { 'content-range': `bytes ${range.start}-${range.end}/${file.size}` } : {};
    const headers = { ...about(file), ...part, 'content-length': length };
    if (request.method === 'HEAD') return void reply.code(code).headers(headers).send();
    const sendAll = async () => {
      // Before any header: an error would go out as a file.
      const bytes = await this.bytes.open(file.blobKey, file.size, range);
      void reply.code(code).headers(headers);
      await sendRaw(bytes, length, reply);
    };
    return length > MAX_CACHED_BYTES ? this.longAnswers.during(reading, reply.raw, sendAll) : sendAll();
  }
}

function about({ mediaType, name }: ReadableFile): Record<string, string> {
  return { 'content-type': servedType(mediaType), 'content-disposition': contentDisposition(name) };
}

/** Past the framework, which would wrap the bytes in streams of its own. */
async function sendRaw(bytes: ByteSource, length: number, reply: FastifyReply): Promise<void> {
  reply.hijack();
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
  await pump(bytes, reply.raw, length);
}
