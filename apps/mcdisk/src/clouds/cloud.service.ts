import { Injectable } from '@nestjs/common';
import { FAMILY_CLOUD_TYPE } from '@family-watch/domain/family-cloud/contracts/content';
import type {
  FamilyCloudListDto,
  QueryFamilyCloudDto,
  CloudMemberListDto,
  DiskInfoDto,
  QueryCloudMemberDto,
  QueryDiskInfoDto,
  CloudMemberDto,
} from '@family-watch/domain/family-cloud/dto/family-cloud.dto';
import type { NameKey } from '@family-watch/domain/kernel/contracts/display-names';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { CLOUD_RIGHT, CLOUD_ROLE } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { McdiskNames } from '../infrastructure/mcdisk-infrastructure.js';
import { CloudAccessService } from './cloud-access.service.js';
import { CloudRepository } from './cloud.repository.js';
import { assertSupportedTypes, toLimitOffset } from './cloud-request.js';
import { FamilyProjectionRepository } from './family-projection.repository.js';
import { resolveActor, hasRight, type CloudActor } from './cloud-actor.js';

/** Name of a cloud while userctx does not respond. */
const DEFAULT_CLOUD_NAME = 'Family cloud';
const ROLE_RANK = Object.values(CLOUD_ROLE);

@Injectable()
export class CloudService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly clouds: CloudRepository,
    private readonly projections: FamilyProjectionRepository,
    private readonly names: McdiskNames,
  ) {}

  /** Lists the clouds of every family the caller belongs to, oldest first. A cloud has the name of its family. */
  async list(caller: Principal, request: QueryFamilyCloudDto): Promise<FamilyCloudListDto> {
    assertSupportedTypes(request);
    const actors = new Map((await this.access.findAll(caller)).map((actor) => [actor.cloudId, actor]));
    const clouds = await this.clouds.findMany([...actors.keys()]);
    const { limit, offset } = toLimitOffset(request.pageInfo);
    const page = clouds.slice(offset, offset + limit);
    const names = await this.names.find(page.map(({ cloudId }): NameKey => `family:${cloudId}`));
    const familyCloudList = page.flatMap((cloud) => {
      const role = actors.get(cloud.cloudId)?.role;
      if (!role) return [];
      return {
        cloudID: cloud.cloudId,
        cloudName: names.get(`family:${cloud.cloudId}`)?.name ?? DEFAULT_CLOUD_NAME,
        cloudType: FAMILY_CLOUD_TYPE,
        createTime: cloud.createdAt,
        lastUpdateTime: cloud.updatedAt,
        role,
      };
    });
    return { familyCloudList, totalCount: clouds.length };
  }

  /**
   * Returns the quota of a cloud and its usage.
   * @throws ServiceError PERMISSION_MISSING for a member without the right to read
   */
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

/**
 * Returns the members and watches of a family cloud that are visible to the actor. Without the right to read only the
 * owner and the actor are visible. The result is sorted by role, then by id, so that pages are stable.
 */
export function visibleMembers(actor: CloudActor, family: FamilySnapshot): CloudMemberDto[] {
  const seesAll = hasRight(actor, CLOUD_RIGHT.READ);
  return allMembers(family)
    .filter(({ member: { role }, principal }) => seesAll || role === CLOUD_ROLE.OWNER || principal === actor.principal)
    .sort(
      (a, b) =>
        ROLE_RANK.indexOf(a.member.role) - ROLE_RANK.indexOf(b.member.role) || (a.principal < b.principal ? -1 : 1),
    )
    .map(({ member }) => member);
}

function allMembers(family: FamilySnapshot): { principal: PrincipalKey; member: CloudMemberDto }[] {
  const persons = family.members.map(({ userId }) => ({ type: 'user' as const, id: userId, userId, did: null }));
  const watches = family.children.flatMap(({ did }) =>
    did === null ? [] : [{ type: 'watch' as const, id: String(did), userId: null, did }],
  );
  return [...persons, ...watches].flatMap(({ type, id, userId, did }) => {
    const actor = resolveActor(family, { type, id });
    return actor ? [{ principal: actor.principal, member: { userId, did, role: actor.role } }] : [];
  });
}
