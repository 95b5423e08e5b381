import { Body, Controller, Get, Head, Post, Req, Res } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FileDownLoadUrlDto, GetFileDownLoadUrlDto } from '@family-watch/domain/family-cloud/dto/download.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { SignedUrlService } from '../signed-urls/signed-url.service.js';
import { DownloadService } from './download.service.js';
import { FileResponse } from './file-response.js';

@ApiTags('Family cloud')
@Controller('app-api/mcdisk')
export class DownloadsController {
  constructor(
    private readonly downloads: DownloadService,
    private readonly links: SignedUrlService,
    private readonly answer: FileResponse,
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
    return this.downloads.link(caller, body, this.links.originOf(request));
  }

  @Get('blob/:token')
  @Operation({
    id: 'getBlob',
    access: 'public',
    enveloped: false,
    direct: true,
    summary: 'Read a file or a range of it; the address is the permission',
    errors: ['LINK_NOT_FOUND', 'PRECONDITION_FAILED', 'RANGE_NOT_SATISFIABLE'],
  })
  @ApiParam({ name: 'token', type: String })
  async getBlob(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.answerWith(request, reply);
  }

  @Head('blob/:token')
  @Operation({
    id: 'headBlob',
    access: 'public',
    enveloped: false,
    direct: true,
    summary: 'What reading a file would answer, without its bytes',
    errors: ['LINK_NOT_FOUND', 'PRECONDITION_FAILED', 'RANGE_NOT_SATISFIABLE'],
  })
  @ApiParam({ name: 'token', type: String })
  async headBlob(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.answerWith(request, reply);
  }

  private async answerWith(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { token } = request.params as { token: string };
    await this.answer.send(await this.downloads.resolve(token), request, reply);
  }
}
