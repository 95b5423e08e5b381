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
import { UploadSessionService } from './upload-session.service.js';
import { drainBody } from './raw-body.js';
import { PutUploadService } from './put-upload.service.js';

const UPLOAD_ERRORS = ['CLOUD_TYPE_UNSUPPORTED', 'CLOUD_NOT_FOUND', 'PERMISSION_MISSING', 'CLOUD_NOT_READY'] as const;

@ApiTags('Family cloud')
@Controller('app-api/mcdisk')
export class UploadsController {
  constructor(
    private readonly sessions: UploadSessionService,
    private readonly putUploads: PutUploadService,
    private readonly environment: Environment,
  ) {}

  @Post('wristwatch/familyCloud/getFileUploadURL')
  @Operation({
    id: 'getFileUploadURL',
    access: ['user', 'watch'],
    summary: 'Create an upload session for files',
    description:
      'Reserves quota and returns an upload URL for each file. Files that the cloud already has need no upload.',
    response: FileUploadUrlDto,
    errors: [...UPLOAD_ERRORS, 'CATALOG_NOT_FOUND', 'FILE_TOO_LARGE', 'QUOTA_EXCEEDED', 'LIMIT_REACHED'],
  })
  async getFileUploadUrl(
    @Caller() caller: Principal,
    @Body() body: GetFileUploadUrlDto,
    @Req() request: FastifyRequest,
  ): Promise<FileUploadUrlDto> {
    const { taskId, files } = await this.sessions.create(caller, body);
    const newContentIDList = files.map(({ contentID, contentName, token, isPutOffered }) => ({
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
    limit: 'file',
    summary: 'Upload an announced file',
    description: 'The URL authorizes the upload; no access token is needed.',
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
  async putBlob(@Param('token') token: string, @Req() { raw, ip }: FastifyRequest): Promise<UploadReceiptDto> {
    const length = raw.headers['content-length'];
    try {
      const announcedLength = length === undefined ? undefined : Number(length);
      return await this.putUploads.receive(token, raw, { announcedLength, ip });
    } finally {
      drainBody(raw);
    }
  }

  @Post('wristwatch/familyCloud/completeUpload')
  @Operation({
    id: 'completeUpload',
    access: ['user', 'watch'],
    summary: 'Get the receipts of an upload session',
    description: 'Changes nothing. All files of the session must have been uploaded.',
    response: CompleteUploadDto,
    errors: [...UPLOAD_ERRORS, 'UPLOAD_NOT_FOUND', 'UPLOAD_STATE'],
  })
  async completeUpload(@Caller() caller: Principal, @Body() body: UploadTaskDto): Promise<CompleteUploadDto> {
    return { contentList: await this.sessions.complete(caller, body) };
  }

  @Post('wristwatch/familyCloud/abortUpload')
  @Operation({
    id: 'abortUpload',
    access: ['user', 'watch'],
    summary: 'Abort the unfinished files of an upload session',
    errors: [...UPLOAD_ERRORS, 'UPLOAD_NOT_FOUND', 'UPLOAD_STATE'],
  })
  async abortUpload(@Caller() caller: Principal, @Body() body: UploadTaskDto): Promise<EmptyDto> {
    await this.sessions.abort(caller, body);
    return {};
  }
}

/** Returns the public capability URL for a token. */
function blobUrl(environment: Environment, request: FastifyRequest, token: string): string {
  return publicUrl(environment, request, `/app-api/mcdisk/blob/${token}`);
}
