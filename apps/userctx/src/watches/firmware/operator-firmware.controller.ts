import { Body, Controller, Get, Inject, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import {
  ChangedWatchesDto,
  ChangeRolloutDto,
  CreateFirmwareGroupDto,
  CreateFirmwareImageDto,
  CreateRolloutDto,
  DeploymentListDto,
  DeploymentListQueryDto,
  FirmwareGroupDto,
  FirmwareGroupListDto,
  FirmwareGroupReferenceDto,
  FirmwareGroupWatchesDto,
  FirmwareGroupWatchListDto,
  FirmwareGroupWatchListQueryDto,
  FirmwareImageListDto,
  FirmwareImageListQueryDto,
  FirmwareImageReferenceDto,
  FirmwareImageUploadDto,
  RolloutDto,
  RolloutListDto,
  RolloutProgressDto,
  RolloutReferenceDto,
} from '@family-watch/domain/watches/dto/firmware.dto';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { EmptyDto } from '@family-watch/domain/kernel/dto/empty.dto';
import { PageQueryDto } from '@family-watch/domain/kernel/dto/page-query.dto';
import { Environment } from '@family-watch/platform/config/environment';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { publicUrl } from '@family-watch/platform/http/public-url';
import { FirmwareGroupsService } from './firmware-groups.service.js';
import { FirmwareImagesService } from './firmware-images.service.js';
import { RolloutsService } from './rollouts.service.js';

/** Firmware images, groups of watches and rollouts, for operators. */
@ApiTags('Operators: firmware')
@Controller('apis/v2/operator/firmware')
export class OperatorFirmwareController {
  constructor(
    private readonly images: FirmwareImagesService,
    private readonly groups: FirmwareGroupsService,
    private readonly rollouts: RolloutsService,
    @Inject(Environment) private readonly environment: Pick<Environment, 'PUBLIC_URL' | 'PUBLIC_HOSTS'>,
  ) {}

  @Post('image/create')
  @Operation({
    id: 'createFirmwareImage',
    access: { operatorRoles: ['FLEET', 'ADMIN'], auditedFields: ['model', 'version', 'digest', 'keyId'] },
    summary: 'Announce a signed firmware image',
    description:
      'Returns the URL for the bytes of the image. The same request returns a new URL, for example after a failed upload.',
    response: FirmwareImageUploadDto,
    errors: ['FIRMWARE_SIGNATURE_INVALID', 'FIRMWARE_IMAGE_EXISTS', 'LIMIT_REACHED'],
  })
  createImage(
    @Caller() caller: Principal,
    @Body() request: CreateFirmwareImageDto,
    @Req() received: FastifyRequest,
  ): Promise<FirmwareImageUploadDto> {
    return this.images.create(request, publicUrl(this.environment, received, ''), principalKey(caller));
  }

  @Get('image/list')
  @Operation({
    id: 'listFirmwareImages',
    access: { operatorRoles: ['FLEET', 'ADMIN'], auditedFields: ['model'] },
    summary: 'List firmware images',
    description: 'Newest first.',
    response: FirmwareImageListDto,
  })
  listImages(@Query() query: FirmwareImageListQueryDto): Promise<FirmwareImageListDto> {
    return this.images.list(query);
  }

  @Post('image/withdraw')
  @Operation({
    id: 'withdrawFirmwareImage',
    access: { operatorRoles: ['FLEET', 'ADMIN'], auditedFields: ['imageId'] },
    summary: 'Withdraw a firmware image',
    description: 'Stops the rollouts of the image and deletes its bytes. Cannot be undone.',
    errors: ['FIRMWARE_IMAGE_NOT_FOUND'],
  })
  async withdrawImage(@Body() { imageId }: FirmwareImageReferenceDto): Promise<EmptyDto> {
    await this.images.withdraw(imageId);
    return new EmptyDto();
  }

  @Post('group/create')
  @Operation({
    id: 'createFirmwareGroup',
    access: { operatorRoles: ['FLEET', 'ADMIN'], auditedFields: ['name'] },
    summary: 'Create a group of watches',
    response: FirmwareGroupDto,
    errors: ['FIRMWARE_GROUP_EXISTS', 'LIMIT_REACHED'],
  })
  createGroup(@Body() { name }: CreateFirmwareGroupDto): Promise<FirmwareGroupDto> {
    return this.groups.create(name);
  }

  @Get('group/list')
  @Operation({
    id: 'listFirmwareGroups',
    access: { operatorRoles: ['FLEET', 'ADMIN'] },
    summary: 'List the groups of watches',
    response: FirmwareGroupListDto,
  })
  listGroups(): Promise<FirmwareGroupListDto> {
    return this.groups.list();
  }

  @Post('group/delete')
  @Operation({
    id: 'deleteFirmwareGroup',
    access: { operatorRoles: ['FLEET', 'ADMIN'], auditedFields: ['groupId'] },
    summary: 'Delete a group that no rollout uses',
    errors: ['FIRMWARE_GROUP_NOT_FOUND', 'FIRMWARE_GROUP_IN_USE'],
  })
  async deleteGroup(@Body() { groupId }: FirmwareGroupReferenceDto): Promise<EmptyDto> {
    await this.groups.delete(groupId);
    return new EmptyDto();
  }

  @Post('group/watch/add')
  @Operation({
    id: 'addToFirmwareGroup',
    access: { operatorRoles: ['FLEET', 'ADMIN'], auditedFields: ['groupId', 'dids'] },
    summary: 'Add up to 10,000 watches to a group',
    description: 'Ignores unknown and revoked watches.',
    response: ChangedWatchesDto,
    errors: ['FIRMWARE_GROUP_NOT_FOUND'],
  })
  addWatches(@Body() request: FirmwareGroupWatchesDto): Promise<ChangedWatchesDto> {
    return this.groups.addWatches(request);
  }

  @Post('group/watch/remove')
  @Operation({
    id: 'removeFromFirmwareGroup',
    access: { operatorRoles: ['FLEET', 'ADMIN'], auditedFields: ['groupId', 'dids'] },
    summary: 'Remove up to 10,000 watches from a group',
    response: ChangedWatchesDto,
    errors: ['FIRMWARE_GROUP_NOT_FOUND'],
  })
  removeWatches(@Body() request: FirmwareGroupWatchesDto): Promise<ChangedWatchesDto> {
    return this.groups.removeWatches(request);
  }

  @Get('group/watch/list')
  @Operation({
    id: 'listFirmwareGroupWatches',
    access: { operatorRoles: ['FLEET', 'ADMIN'], auditedFields: ['groupId'] },
    summary: 'List the watches of a group',
    response: FirmwareGroupWatchListDto,
    errors: ['FIRMWARE_GROUP_NOT_FOUND'],
  })
  listWatches(@Query() query: FirmwareGroupWatchListQueryDto): Promise<FirmwareGroupWatchListDto> {
    return this.groups.listWatches(query);
  }

  @Post('rollout/create')
  @Operation({
    id: 'createRollout',
    access: { operatorRoles: ['FLEET', 'ADMIN'], auditedFields: ['imageId', 'groupId', 'startAt'] },
    summary: 'Create a rollout of an image',
    description: 'No watch gets the image before the rollout has started.',
    response: RolloutDto,
    errors: ['FIRMWARE_IMAGE_NOT_FOUND', 'FIRMWARE_IMAGE_STATE', 'FIRMWARE_GROUP_NOT_FOUND', 'LIMIT_REACHED'],
  })
  createRollout(@Body() request: CreateRolloutDto): Promise<RolloutDto> {
    return this.rollouts.create(request);
  }

  @Post('rollout/change')
  @Operation({
    id: 'changeRollout',
    access: { operatorRoles: ['FLEET', 'ADMIN'], auditedFields: ['rolloutId', 'action'] },
    summary: 'Start, pause, resume, advance or stop a rollout',
    description:
      'After RESUME, only further errors count towards the error threshold. ADVANCE begins the next wave before the ' +
      'success threshold. STOP cannot be undone.',
    response: RolloutDto,
    errors: ['ROLLOUT_NOT_FOUND', 'ROLLOUT_STATE', 'FIRMWARE_IMAGE_STATE'],
  })
  changeRollout(@Body() request: ChangeRolloutDto): Promise<RolloutDto> {
    return this.rollouts.change(request);
  }

  @Get('rollout/list')
  @Operation({
    id: 'listRollouts',
    access: { operatorRoles: ['FLEET', 'ADMIN'] },
    summary: 'List the rollouts',
    description: 'Newest first.',
    response: RolloutListDto,
  })
  listRollouts(@Query() query: PageQueryDto): Promise<RolloutListDto> {
    return this.rollouts.list(query);
  }

  @Get('rollout/get')
  @Operation({
    id: 'getRollout',
    access: { operatorRoles: ['FLEET', 'ADMIN'], auditedFields: ['rolloutId'] },
    summary: 'Get a rollout with the progress of its waves',
    response: RolloutProgressDto,
    errors: ['ROLLOUT_NOT_FOUND'],
  })
  getRollout(@Query() { rolloutId }: RolloutReferenceDto): Promise<RolloutProgressDto> {
    return this.rollouts.get(rolloutId);
  }

  @Get('deployment/list')
  @Operation({
    id: 'listDeployments',
    access: { operatorRoles: ['FLEET', 'ADMIN'], auditedFields: ['rolloutId', 'state'] },
    summary: 'List the updates of watches by a rollout',
    description: 'In the order of the `did`.',
    response: DeploymentListDto,
    errors: ['ROLLOUT_NOT_FOUND'],
  })
  listDeployments(@Query() query: DeploymentListQueryDto): Promise<DeploymentListDto> {
    return this.rollouts.listDeployments(query);
  }
}
