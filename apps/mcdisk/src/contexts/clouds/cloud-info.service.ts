import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import type {
  CloudMemberListDto,
  DiskInfoDto,
  QueryCloudMemberDto,
  QueryDiskInfoDto,
} from '@family-watch/domain/family-cloud/dto/family-cloud.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { CloudAccessService } from './cloud-access.service.js';
import { visibleMembers } from './cloud-members.js';
import { CloudRepository } from './cloud.repository.js';
import { FamilyProjectionRepository } from './family-projection.repository.js';
import { toLimitOffset, assertSupportedTypes } from './cloud-request.js';

/** Returns the quota and the members of one cloud. */
@Injectable()
export class CloudInfoService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly clouds: CloudRepository,
    private readonly projections: FamilyProjectionRepository,
  ) {}

  /** Returns the quota and its usage. @throws ServiceError PERMISSION_MISSING without the right to read */
  async findUsage(caller: Principal, request: QueryDiskInfoDto): Promise<DiskInfoDto> {
    assertSupportedTypes(request);
    await this.access.authorizeFor(request.cloudID, caller, CLOUD_RIGHT.READ);
    const [cloud] = await this.clouds.findMany([request.cloudID]);
    if (!cloud) throw new ServiceError('CLOUD_NOT_FOUND');
    const { diskSize, usedSize, reservedSize, recycleSize } = cloud;
    // A cloud may contain more bytes than its quota after the quota was reduced.
    const freeSize = Math.max(0, diskSize - usedSize - reservedSize - recycleSize);
    return { diskSize, usedSize, reservedSize, recycleSize, freeSize };
  }

  async listMembers(caller: Principal, request: QueryCloudMemberDto): Promise<CloudMemberListDto> {
    assertSupportedTypes(request);
    const actor = await this.access.authorize(request.cloudID, caller);
    const family = await this.projections.findWithCloud(request.cloudID);
    const members = family ? visibleMembers(actor, family) : [];
    const { limit, offset } = toLimitOffset(request.pageInfo);
    return { cloudMemberList: members.slice(offset, offset + limit), totalCount: members.length };
  }
}
