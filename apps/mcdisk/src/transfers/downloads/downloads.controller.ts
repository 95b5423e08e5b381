import { Body, Controller, Get, Head, Post, Req, Res } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FileDownLoadUrlDto, GetFileDownLoadUrlDto } from '@family-watch/domain/family-cloud/dto/content.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { SignedUrlService } from '../../sharing/signed-urls/signed-url.service.js';
import { DownloadService } from './download.service.js';
import { FileResponse } from './file-response.js';

@ApiTags('Family cloud')
@Controller('app-api/mcdisk')
export class DownloadsController {
  constructor(
    private readonly downloads: DownloadService,
    private readonly signedUrls: SignedUrlService,
    private readonly fileResponse: FileResponse,
  ) {}

  @Post('wristwatch/familyCloud/getFileDownLoadURL')
  @Operation({
    id: 'getFileDownLoadURL',
    access: ['user', 'watch'],
    limit: 'file',
    summary: 'Get a signed URL of a file',
    description: 'The file can be read from the URL for five minutes.',
    response: FileDownLoadUrlDto,
    errors: ['CLOUD_NOT_FOUND', 'CONTENT_NOT_FOUND', 'PERMISSION_MISSING', 'CLOUD_NOT_READY'],
  })
  async getFileDownLoadUrl(
    @Caller() caller: Principal,
    @Body() body: GetFileDownLoadUrlDto,
    @Req() request: FastifyRequest,
  ): Promise<FileDownLoadUrlDto> {
    return this.downloads.createUrl(caller, body, this.signedUrls.originOf(request));
  }

  @Get('blob/:token')
  @Operation({
    id: 'getBlob',
    access: 'public',
    limit: 'file',
    hasEnvelope: false,
    direct: true,
    summary: 'Download a file or a range of it',
    description: 'The signed URL is the permission; no access token is required.',
    errors: ['LINK_NOT_FOUND', 'PRECONDITION_FAILED', 'RANGE_NOT_SATISFIABLE'],
  })
  @ApiParam({ name: 'token', type: String })
  async getBlob(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.sendFile(request, reply);
  }

  @Head('blob/:token')
  @Operation({
    id: 'headBlob',
    access: 'public',
    limit: 'file',
    hasEnvelope: false,
    direct: true,
    summary: 'Get the headers of a file download',
    errors: ['LINK_NOT_FOUND', 'PRECONDITION_FAILED', 'RANGE_NOT_SATISFIABLE'],
  })
  @ApiParam({ name: 'token', type: String })
  async headBlob(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.sendFile(request, reply);
  }

  private async sendFile(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { token } = request.params as { token: string };
    await this.fileResponse.send(await this.downloads.resolve(token, request.ip), request, reply);
  }
}
