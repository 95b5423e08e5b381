import { Controller, Delete, Head, Options, Param, Patch, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiHeader, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { drainBody } from './raw-body.js';
import { TusService, type TusResponse } from './tus.service.js';

const TUS_ERRORS = [
  'PRECONDITION_FAILED',
  'UPLOAD_NOT_FOUND',
  'UPLOAD_LOCKED',
  'STORE_FULL',
  'STORE_UNAVAILABLE',
] as const;
const COMPLETION_ERRORS = ['UPLOAD_STATE', 'DIGEST_MISMATCH'] as const;

/** Resumable uploads by the tus protocol; the URL authorizes the upload. */
@ApiTags('Family cloud')
@Controller('app-api/mcdisk/upload')
export class TusController {
  constructor(private readonly tus: TusService) {}

  @Head(':token')
  @Operation({
    id: 'headUpload',
    access: 'public',
    limit: 'file',
    hasEnvelope: false,
    summary: 'Get the offset of an upload (tus)',
    errors: [...TUS_ERRORS, ...COMPLETION_ERRORS],
  })
  @ApiHeader({ name: 'Tus-Resumable', required: true, example: '1.0.0' })
  head(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle(token, request, reply);
  }

  @Patch(':token')
  @Operation({
    id: 'patchUpload',
    access: 'public',
    limit: 'file',
    hasEnvelope: false,
    summary: 'Append bytes to an upload (tus)',
    description: 'The response that completes the upload has the header Upload-Receipt.',
    errors: [...TUS_ERRORS, ...COMPLETION_ERRORS, 'UPLOAD_OFFSET', 'BODY_TOO_LARGE', 'MEDIA_TYPE_UNSUPPORTED'],
  })
  @ApiHeader({ name: 'Tus-Resumable', required: true, example: '1.0.0' })
  @ApiHeader({ name: 'Upload-Offset', required: true, description: 'Number of bytes received so far', example: '0' })
  @ApiConsumes('application/offset+octet-stream')
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  patch(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle(token, request, reply);
  }

  @Delete(':token')
  @Operation({
    id: 'deleteUpload',
    access: 'public',
    limit: 'file',
    hasEnvelope: false,
    summary: 'Abort an upload (tus)',
    errors: [...TUS_ERRORS, 'UPLOAD_STATE'],
  })
  @ApiHeader({ name: 'Tus-Resumable', required: true, example: '1.0.0' })
  delete(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.handle(token, request, reply);
  }

  @Options(':token')
  @ApiParam({ name: 'token', schema: { type: 'string' } })
  @Operation({
    id: 'optionsUpload',
    access: 'public',
    hasEnvelope: false,
    summary: 'Get the tus capabilities of the server',
  })
  async options(@Res() reply: FastifyReply): Promise<void> {
    send(reply, await this.tus.options());
  }

  @Post()
  @Operation({
    id: 'createUpload',
    access: 'public',
    hasEnvelope: false,
    summary: 'Reject upload creation by tus',
    description: 'Always rejected. Create uploads with getFileUploadURL, which returns the upload URL.',
    errors: ['METHOD_NOT_ALLOWED'],
  })
  create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    drainBody(request.raw);
    void reply.header('allow', 'OPTIONS, HEAD, PATCH, DELETE');
    throw new ServiceError('METHOD_NOT_ALLOWED', {
      details: [
        { field: 'method', rule: 'announced', message: 'Use getFileUploadURL to create the upload; it returns tusURL' },
      ],
    });
  }

  private async handle(token: string, { raw, ip }: FastifyRequest, reply: FastifyReply): Promise<void> {
    // The headers are set first, so that error responses, which the exception filter sends, also have these headers.
    void reply.headers({ 'tus-resumable': '1.0.0', 'tus-version': '1.0.0', 'cache-control': 'no-store' });
    try {
      send(reply, await this.tus.handle(token, raw, ip));
    } finally {
      drainBody(raw);
    }
  }
}

function send(reply: FastifyReply, { status, headers, text }: TusResponse): void {
  void reply
    .code(status)
    .headers(headers)
    .send(text === '' ? undefined : text);
}
