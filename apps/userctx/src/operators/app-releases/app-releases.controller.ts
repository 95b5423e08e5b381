import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  AppReleaseListDto,
  AppReleaseListQueryDto,
  AppReleaseReferenceDto,
  AppUpgradeDto,
  CheckAppUpgradeDto,
  SetAppReleaseDto,
} from '@family-watch/domain/operators/dto/app-release.dto';
import { EmptyDto } from '@family-watch/domain/kernel/dto/empty.dto';
import { AppVersionGate } from '@family-watch/platform/http/app-version-gate';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { AppReleasesService } from './app-releases.service.js';

/** Upgrades of the app for parents, and releases for operators. */
@ApiTags('App releases')
@Controller('apis/v2')
export class AppReleasesController {
  constructor(
    private readonly releases: AppReleasesService,
    private readonly gate: AppVersionGate,
  ) {}

  @Get('tool/app-upgrade/check')
  @Operation({
    id: 'checkAppUpgrade',
    access: 'public',
    servesUnsupportedApps: true,
    summary: 'Check for a newer version of the app',
    description:
      'An app that sends the header `X-App-Version: <platform>/<channel>/<version>` with its requests gets ' +
      'APP_VERSION_UNSUPPORTED from other operations when it is older than the minimum version. Operations that a parent ' +
      'needs during an SOS do not reject it.',
    response: AppUpgradeDto,
  })
  check(@Query() query: CheckAppUpgradeDto): Promise<AppUpgradeDto> {
    return this.releases.check(query);
  }

  @Get('operator/app-release/list')
  @Operation({
    id: 'listAppReleases',
    access: { operatorRoles: ['FLEET', 'ADMIN'], auditedFields: ['platform', 'channel'] },
    summary: 'List the releases of a channel',
    description: 'Also withdrawn ones, the newest version first.',
    response: AppReleaseListDto,
  })
  list(@Query() query: AppReleaseListQueryDto): Promise<AppReleaseListDto> {
    return this.releases.list(query);
  }

  @Post('operator/app-release/set')
  @Operation({
    id: 'setAppRelease',
    access: {
      operatorRoles: ['FLEET', 'ADMIN'],
      auditedFields: ['platform', 'channel', 'version', 'minimumVersion', 'percentage', 'url'],
    },
    summary: 'Create or replace a release',
    description: 'Applies in all processes within 30 seconds.',
    errors: ['LIMIT_REACHED'],
  })
  async set(@Body() request: SetAppReleaseDto): Promise<EmptyDto> {
    await this.releases.set(request);
    await this.gate.reload();
    return new EmptyDto();
  }

  @Post('operator/app-release/withdraw')
  @Operation({
    id: 'withdrawAppRelease',
    access: { operatorRoles: ['FLEET', 'ADMIN'], auditedFields: ['platform', 'channel', 'version'] },
    summary: 'Withdraw a release',
    description: 'The release is no longer offered, and its minimum version no longer applies.',
    errors: ['RELEASE_NOT_FOUND'],
  })
  async withdraw(@Body() request: AppReleaseReferenceDto): Promise<EmptyDto> {
    await this.releases.withdraw(request);
    await this.gate.reload();
    return new EmptyDto();
  }
}
