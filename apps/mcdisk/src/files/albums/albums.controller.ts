import { Body, Controller, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import {
  AddPhotoContentsResultDto,
  CloudPhotoDto,
  CloudPhotoListDto,
  CreateCloudPhotoDto,
  DeleteCloudPhotoDto,
  DeleteCloudPhotoResultDto,
  ModifyCloudPhotoDto,
  PhotoContentListDto,
  PhotoContentsDto,
  QueryCloudPhotoDto,
  QueryPhotoContentsDto,
  RemovePhotoContentsResultDto,
} from '@family-watch/domain/family-cloud/dto/cloud-photo.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { SignedUrlService } from '../../sharing/signed-urls/signed-url.service.js';
import { IdempotentInCloud } from '../../clouds/cloud-request.js';
import { AlbumService } from './album.service.js';

const ALBUM_ERRORS = ['CLOUD_TYPE_UNSUPPORTED', 'CLOUD_NOT_FOUND', 'CLOUD_NOT_READY'] as const;
const REQUIRED_ROLE_SENTENCE = 'Requires the owner, a guardian or the creator of the album.';
const RESULT_LISTS_SENTENCE = 'Succeeds also if nothing changed; the two lists contain the result for every id.';

@ApiTags('Family cloud')
@Controller('app-api/mcdisk/wristwatch/familyCloud')
export class AlbumsController {
  constructor(
    private readonly albums: AlbumService,
    private readonly signedUrls: SignedUrlService,
  ) {}

  @Post('createCloudPhoto')
  @IdempotentInCloud()
  @Operation({
    id: 'createCloudPhoto',
    access: ['user', 'watch'],
    summary: 'Create an album',
    response: CloudPhotoDto,
    errors: [...ALBUM_ERRORS, 'PERMISSION_MISSING', 'LIMIT_REACHED'],
  })
  createCloudPhoto(@Caller() caller: Principal, @Body() body: CreateCloudPhotoDto): Promise<CloudPhotoDto> {
    return this.albums.create(caller, body);
  }

  @Post('modifyCloudPhoto')
  @Operation({
    id: 'modifyCloudPhoto',
    access: ['user', 'watch'],
    summary: 'Rename an album or change its cover',
    description: `${REQUIRED_ROLE_SENTENCE} Omitted fields are unchanged.`,
    response: CloudPhotoDto,
    errors: [...ALBUM_ERRORS, 'ALBUM_NOT_FOUND', 'CONTENT_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  modifyCloudPhoto(
    @Caller() caller: Principal,
    @Body() body: ModifyCloudPhotoDto,
    @Req() request: FastifyRequest,
  ): Promise<CloudPhotoDto> {
    return this.albums.modify(caller, body, this.signedUrls.originOf(request));
  }

  @Post('deleteCloudPhoto')
  @Operation({
    id: 'deleteCloudPhoto',
    access: ['user', 'watch'],
    summary: 'Delete albums',
    description: `The contents stay in the cloud. ${REQUIRED_ROLE_SENTENCE} ${RESULT_LISTS_SENTENCE}`,
    response: DeleteCloudPhotoResultDto,
    errors: ALBUM_ERRORS,
  })
  deleteCloudPhoto(@Caller() caller: Principal, @Body() body: DeleteCloudPhotoDto): Promise<DeleteCloudPhotoResultDto> {
    return this.albums.delete(caller, body);
  }

  @Post('queryCloudPhoto')
  @Operation({
    id: 'queryCloudPhoto',
    access: ['user', 'watch'],
    summary: 'List the albums of a family cloud',
    description: 'The most recently changed album is first.',
    response: CloudPhotoListDto,
    errors: ALBUM_ERRORS,
  })
  queryCloudPhoto(
    @Caller() caller: Principal,
    @Body() body: QueryCloudPhotoDto,
    @Req() request: FastifyRequest,
  ): Promise<CloudPhotoListDto> {
    return this.albums.list(caller, body, this.signedUrls.originOf(request));
  }

  @Post('queryPhotoContents')
  @Operation({
    id: 'queryPhotoContents',
    access: ['user', 'watch'],
    summary: 'List the contents of an album',
    description: 'Contents in the recycle bin are not listed.',
    response: PhotoContentListDto,
    errors: [...ALBUM_ERRORS, 'ALBUM_NOT_FOUND'],
  })
  queryPhotoContents(
    @Caller() caller: Principal,
    @Body() body: QueryPhotoContentsDto,
    @Req() request: FastifyRequest,
  ): Promise<PhotoContentListDto> {
    return this.albums.listContents(caller, body, this.signedUrls.originOf(request));
  }

  @Post('addPhotoContents')
  @Operation({
    id: 'addPhotoContents',
    access: ['user', 'watch'],
    summary: 'Add contents to an album',
    description: `The contents also stay in their folders. ${RESULT_LISTS_SENTENCE}`,
    response: AddPhotoContentsResultDto,
    errors: [...ALBUM_ERRORS, 'ALBUM_NOT_FOUND', 'PERMISSION_MISSING', 'LIMIT_REACHED'],
  })
  addPhotoContents(@Caller() caller: Principal, @Body() body: PhotoContentsDto): Promise<AddPhotoContentsResultDto> {
    return this.albums.addContents(caller, body);
  }

  @Post('removePhotoContents')
  @Operation({
    id: 'removePhotoContents',
    access: ['user', 'watch'],
    summary: 'Remove contents from an album',
    description: `The contents stay in the cloud. ${REQUIRED_ROLE_SENTENCE} ${RESULT_LISTS_SENTENCE}`,
    response: RemovePhotoContentsResultDto,
    errors: [...ALBUM_ERRORS, 'ALBUM_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  removePhotoContents(
    @Caller() caller: Principal,
    @Body() body: PhotoContentsDto,
  ): Promise<RemovePhotoContentsResultDto> {
    return this.albums.removeContents(caller, body);
  }
}
