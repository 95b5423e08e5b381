import { Controller, Get, Head, Put, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EmptyDto } from '@family-watch/domain/kernel/dto/empty.dto';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { FileResponse } from '../../transfers/downloads/file-response.js';
import { drainBody } from '../../transfers/uploads/raw-body.js';
import { FirmwareImagesService } from './firmware-images.service.js';

const DOWNLOAD_ERRORS = ['TICKET_INVALID', 'LINK_NOT_FOUND', 'PRECONDITION_FAILED', 'RANGE_NOT_SATISFIABLE'] as const;

/** The bytes of firmware images. The path is `FIRMWARE_IMAGE_PATH`. */
@ApiTags('Firmware images')
@ApiQuery({ name: 'ticket', type: String, description: 'Contained in the URL of the upload or download' })
@Controller('app-api/mcdisk/firmware/image')
export class FirmwareController {
  constructor(
    private readonly images: FirmwareImagesService,
    private readonly fileResponse: FileResponse,
  ) {}

  @Put()
  @Operation({
    id: 'putFirmwareImage',
    access: 'public',
    limit: 'file',
    summary: 'Upload an announced firmware image',
    description: 'The ticket authorizes the upload; no access token is needed. A repetition is harmless.',
    errors: [
      'TICKET_INVALID',
      'UPLOAD_NOT_FOUND',
      'BODY_TOO_LARGE',
      'DIGEST_MISMATCH',
      'STORE_FULL',
      'STORE_UNAVAILABLE',
    ],
  })
  @ApiConsumes('application/octet-stream')
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  async put(@Req() { raw, ip, query }: FastifyRequest): Promise<EmptyDto> {
    const length = raw.headers['content-length'];
    try {
      await this.images.receive(ticketOf(query), ip, raw, length === undefined ? undefined : Number(length));
      return new EmptyDto();
    } finally {
      drainBody(raw);
    }
  }

  @Get()
  @Operation({
    id: 'getFirmwareImage',
    access: 'public',
    limit: 'file',
    hasEnvelope: false,
    direct: true,
    summary: 'Download a firmware image or a range of it',
    description: 'The ticket authorizes the download; no access token is needed. The ETag is the same for all tickets.',
    errors: DOWNLOAD_ERRORS,
  })
  get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(request, reply);
  }

  @Head()
  @Operation({
    id: 'headFirmwareImage',
    access: 'public',
    limit: 'file',
    hasEnvelope: false,
    direct: true,
    summary: 'Get the headers of the download of a firmware image',
    errors: DOWNLOAD_ERRORS,
  })
  head(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(request, reply);
  }

  private async send(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const file = await this.images.resolve(ticketOf(request.query), request.ip);
    await this.fileResponse.send(file, request, reply);
  }
}

function ticketOf(query: unknown): unknown {
  return (query as { ticket?: unknown }).ticket;
}
