import { Body, Controller, Param, Post, Put, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import {
  CompleteUploadDto,
  FileUploadUrlDto,
  GetFileUploadUrlDto,
  UploadReceiptDto,
  UploadTaskDto,
} from '@family-watch/domain/family-cloud/dto/upload.dto';
import { EmptyDto } from '@family-watch/domain/kernel/dto/empty.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Environment } from '@family-watch/platform/config/environment';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { publicUrl } from '@family-watch/platform/http/public-url';
import { blobUrl } from '../blobs/blob-url.js';
import { UploadSessionService } from './upload-session.service.js';
import { drainBody } from './raw-body.js';
import { PutUploadService } from './put-upload.service.js';
import { UploadService } from './upload.service.js';

const ERRORS = ['CLOUD_TYPE_UNSUPPORTED', 'CLOUD_NOT_FOUND', 'PERMISSION_MISSING', 'CLOUD_NOT_READY'] as const;

@ApiTags('Family cloud')
@Controller('app-api/mcdisk')
export class UploadsController {
  constructor(
    private readonly announcements: UploadSessionService,
    private readonly uploads: UploadService,
    private readonly reception: PutUploadService,
    private readonly environment: Environment,
  ) {}

  @Post('wristwatch/familyCloud/getFileUploadURL')
  @Operation({
    id: 'getFileUploadURL',
    access: ['user', 'watch'],
    summary: 'Announce files and get an address for the bytes of each',
    response: FileUploadUrlDto,
    errors: [...ERRORS, 'CATALOG_NOT_FOUND', 'BODY_TOO_LARGE', 'QUOTA_EXCEEDED', 'LIMIT_REACHED'],
  })
  async getFileUploadUrl(
    @Caller() caller: Principal,
    @Body() body: GetFileUploadUrlDto,
    @Req() request: FastifyRequest,
  ): Promise<FileUploadUrlDto> {
    const { taskId, announced } = await this.announcements.create(caller, body);
    const newContentIDList = announced.map(({ contentID, contentName, token, isPutOffered }) => ({
      contentID,
      contentName,
      isNeedUpload: token !== null,
      uploadURL: token !== null && isPutOffered ? blobUrl(this.environment, request, token) : '',
      tusURL: token !== null ? publicUrl(this.environment, request, `/app-api/mcdisk/upload/${token}`) : '',
    }));
    return { uploadResult: { uploadTaskID: taskId, newContentIDList } };
  }

  @Put('blob/:token')
  @Operation({
    id: 'putBlob',
    access: 'public',
    summary: 'Send the bytes of an announced file; the address is the permission',
    response: UploadReceiptDto,
    errors: [
      'UPLOAD_NOT_FOUND',
      'UPLOAD_STATE',
      'UPLOAD_LOCKED',
      'BODY_TOO_LARGE',
      'DIGEST_MISMATCH',
      'STORE_FULL',
      'STORE_UNAVAILABLE',
    ],
  })
  @ApiConsumes('application/octet-stream')
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  async putBlob(@Param('token') token: string, @Req() { raw }: FastifyRequest): Promise<UploadReceiptDto> {
    const length = raw.headers['content-length'];
    try {
      return await this.reception.receive(token, raw, length === undefined ? undefined : Number(length));
    } finally {
      drainBody(raw);
    }
  }

  @Post('wristwatch/familyCloud/completeUpload')
  @Operation({
    id: 'completeUpload',
    access: ['user', 'watch'],
    summary: 'Get the receipts of a whole upload; harmless after a whole PUT',
    response: CompleteUploadDto,
    errors: [...ERRORS, 'UPLOAD_NOT_FOUND', 'UPLOAD_STATE'],
  })
  async completeUpload(@Caller() caller: Principal, @Body() body: UploadTaskDto): Promise<CompleteUploadDto> {
    return { contentList: await this.uploads.complete(caller, body) };
  }

  @Post('wristwatch/familyCloud/abortUpload')
  @Operation({
    id: 'abortUpload',
    access: ['user', 'watch'],
    summary: 'Give up what has not arrived of an upload',
    errors: [...ERRORS, 'UPLOAD_NOT_FOUND', 'UPLOAD_STATE'],
  })
  async abortUpload(@Caller() caller: Principal, @Body() body: UploadTaskDto): Promise<EmptyDto> {
    await this.uploads.abort(caller, body);
    return {};
  }
}
