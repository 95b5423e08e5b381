import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  AuthorizedDto,
  AuthorizationListDto,
  AuthorizeDto,
  QueryAuthorizationDto,
  RevokeAuthorizationDto,
} from '@family-watch/domain/family-cloud/dto/authorization.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { EmptyDto } from '@family-watch/domain/kernel/dto/empty.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { IdempotentInCloud } from '../clouds/cloud-request.js';
import { ShareService } from './share.service.js';

const SHARING_ERRORS = ['CLOUD_TYPE_UNSUPPORTED', 'CLOUD_NOT_FOUND', 'CLOUD_NOT_READY'] as const;

@ApiTags('Family cloud')
@Controller('app-api/mcdisk/wristwatch/familyCloud')
export class SharingController {
  constructor(private readonly shares: ShareService) {}

  @Post('authorize')
  @IdempotentInCloud()
  @Operation({
    id: 'authorize',
    access: ['user'],
    summary: 'Share files, a folder or an album',
    description:
      'For owner and guardians. Shares either everything in the request or nothing. The member reads pictures and ' +
      'videos without their location. Files from which the location cannot be removed are shared unchanged: see ' +
      'metadataRemoved.',
    response: AuthorizedDto,
    errors: [
      ...SHARING_ERRORS,
      ...(['VALIDATION_FAILED', 'PERMISSION_MISSING', 'MEMBER_NOT_FOUND', 'LIMIT_REACHED'] as const),
      ...(['CONTENT_NOT_FOUND', 'CATALOG_NOT_FOUND', 'ALBUM_NOT_FOUND'] as const),
    ],
  })
  authorize(@Caller() caller: Principal, @Body() body: AuthorizeDto): Promise<AuthorizedDto> {
    return this.shares.authorize(caller, body);
  }

  @Post('queryAuthorization')
  @Operation({
    id: 'queryAuthorization',
    access: ['user'],
    summary: 'List shares',
    description: 'Owner and guardians see all shares. Other members see the shares with them.',
    response: AuthorizationListDto,
    errors: SHARING_ERRORS,
  })
  queryAuthorization(@Caller() caller: Principal, @Body() body: QueryAuthorizationDto): Promise<AuthorizationListDto> {
    return this.shares.list(caller, body);
  }

  @Post('revokeAuthorization')
  @Operation({
    id: 'revokeAuthorization',
    access: ['user'],
    summary: 'Revoke a share',
    description: 'For owner and guardians. Download URLs that depend on the share stop working immediately.',
    errors: [...SHARING_ERRORS, 'PERMISSION_MISSING', 'AUTHORIZATION_NOT_FOUND'],
  })
  async revokeAuthorization(@Caller() caller: Principal, @Body() body: RevokeAuthorizationDto): Promise<EmptyDto> {
    await this.shares.revoke(caller, body);
    return {};
  }
}
