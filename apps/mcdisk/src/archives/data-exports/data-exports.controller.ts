import { Controller, Get, Head, Req, Res } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { FileResponse } from '../../transfers/downloads/file-response.js';
import { ArchiveDownloadService } from './archive-download.service.js';

const DOWNLOAD_ERRORS = ['TICKET_INVALID', 'LINK_NOT_FOUND', 'PRECONDITION_FAILED', 'RANGE_NOT_SATISFIABLE'] as const;

/** The archives of exports. The path is `DATA_EXPORT_PATH`. */
@ApiTags('Accounts')
@ApiQuery({ name: 'ticket', type: String, description: 'Contained in the URL of the archive' })
@Controller('app-api/mcdisk/data-export')
export class DataExportsController {
  constructor(
    private readonly downloads: ArchiveDownloadService,
    private readonly fileResponse: FileResponse,
  ) {}

  @Get()
  @Operation({
    id: 'downloadDataExport',
    access: 'public',
    limit: 'file',
    hasEnvelope: false,
    direct: true,
    summary: 'Download the archive of an export or a range of it',
    description: 'The ticket authorizes the download; no access token is needed. The ETag is the same for all tickets.',
    errors: DOWNLOAD_ERRORS,
  })
  get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(request, reply);
  }

  @Head()
  @Operation({
    id: 'headDataExport',
    access: 'public',
    limit: 'file',
    hasEnvelope: false,
    direct: true,
    summary: 'Get the headers of the download of an archive',
    errors: DOWNLOAD_ERRORS,
  })
  head(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(request, reply);
  }

  private async send(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { ticket } = request.query as { ticket?: unknown };
    await this.fileResponse.send(await this.downloads.resolve(ticket, request.ip), request, reply);
  }
}
