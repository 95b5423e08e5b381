import { Body, Controller, Get, Headers, Param, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FileDownLoadUrlDto, GetFileDownLoadUrlDto } from '@family-watch/domain/family-cloud/dto/download.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { Environment } from '@family-watch/platform/config/environment';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { blobAddress } from '../blobs/blob-address.js';
import { parseRange, UNSATISFIABLE } from './byte-range.js';
import { contentDisposition } from './content-disposition.js';
import { DownloadService } from './download.service.js';
import { entityTagOf, isKnown, rangeHolds } from './entity-tag.js';
import { servedType } from './served-type.js';

/** On every answer with or about bytes: nothing guesses their type, runs them, or keeps them for somebody else. */
const GUARDS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'private, no-cache',
  'referrer-policy': 'no-referrer',
  'accept-ranges': 'bytes',
};

@ApiTags('Family cloud')
@Controller('app-api/mcdisk')
export class DownloadsController {
  constructor(
    private readonly downloads: DownloadService,
    private readonly environment: Environment,
  ) {}

  @Post('wristwatch/familyCloud/getFileDownLoadURL')
  @Operation({
    id: 'getFileDownLoadURL',
    access: ['user', 'watch'],
    summary: 'Get an address from which a file can be read for five minutes',
    response: FileDownLoadUrlDto,
    errors: ['CLOUD_NOT_FOUND', 'CONTENT_NOT_FOUND', 'PERMISSION_MISSING', 'CLOUD_NOT_READY'],
  })
  async getFileDownLoadUrl(
    @Caller() caller: Principal,
    @Body() body: GetFileDownLoadUrlDto,
    @Req() request: FastifyRequest,
  ): Promise<FileDownLoadUrlDto> {
    const { token, expireTime } = await this.downloads.link(caller, body);
    return { downloadURL: blobAddress(this.environment, request, token), expireTime };
  }

  @Get('blob/:token')
  @Operation({
    id: 'getBlob',
    access: 'public',
    enveloped: false,
    summary: 'Read a file or a range of it; the address is the permission',
    errors: ['LINK_NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
  })
  async getBlob(
    @Param('token') token: string,
    @Headers() headers: Record<string, string | undefined>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const content = await this.downloads.resolve(token);
    const tag = entityTagOf(content.digest);
    void reply.headers({ ...GUARDS, etag: tag });
    if (isKnown(headers['if-none-match'], tag)) return void reply.code(304).send();
    const range = rangeHolds(headers['if-range'], tag) ? parseRange(headers['range'], content.size) : undefined;
    if (range === UNSATISFIABLE) {
      void reply.header('content-range', `bytes */${content.size}`);
      throw new ServiceError('RANGE_NOT_SATISFIABLE');
    }
    const bytes = await this.downloads.open(content, range);
    void reply.code(range ? 206 : 200).headers({
      'content-type': servedType(content.mediaType),
      'content-disposition': contentDisposition(content.name),
      'content-length': range ? range.end - range.start + 1 : content.size,
      ...(range ? { 'content-range': `bytes ${range.start}-${range.end}/${content.size}` } : {}),
    });
    return void reply.send(bytes);
  }
}
