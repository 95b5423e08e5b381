import { Injectable } from '@nestjs/common';
import { FAMILY_CLOUD_TYPE } from '@family-watch/domain/family-cloud/contracts/content';
import type { FamilyCloudListDto, QueryFamilyCloudDto } from '@family-watch/domain/family-cloud/dto/family-cloud.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { CloudAccessService } from './cloud-access.service.js';
import { CloudRepository } from './cloud.repository.js';
import { assertSupportedTypes, toLimitOffset } from './cloud-request.js';

/** Name of every cloud. The events of userctx contain no family names; clients get the names from userctx. */
const CLOUD_NAME = 'Family cloud';

@Injectable()
export class CloudService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly clouds: CloudRepository,
  ) {}

  /** Lists the clouds of every family the caller belongs to, oldest first. */
  async list(caller: Principal, request: QueryFamilyCloudDto): Promise<FamilyCloudListDto> {
    assertSupportedTypes(request);
    const actors = new Map((await this.access.findAll(caller)).map((actor) => [actor.cloudId, actor]));
    const clouds = await this.clouds.findMany([...actors.keys()]);
    const { limit, offset } = toLimitOffset(request.pageInfo);
    const familyCloudList = clouds.slice(offset, offset + limit).flatMap((cloud) => {
      const role = actors.get(cloud.cloudId)?.role;
      if (!role) return [];
      return {
        cloudID: cloud.cloudId,
        cloudName: CLOUD_NAME,
        cloudType: FAMILY_CLOUD_TYPE,
        createTime: cloud.createdAt,
        lastUpdateTime: cloud.updatedAt,
        role,
      };
    });
    return { familyCloudList, totalCount: clouds.length };
  }
}
