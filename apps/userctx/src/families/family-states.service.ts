import { Injectable } from '@nestjs/common';
import type { FamilyMemberEntity } from '@family-watch/domain/families/entities/family.entities';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { FAMILY_STATE } from '@family-watch/domain/operators/contracts/directory';
import type { FamilyStateDto, FamilyStatesQueryDto } from '@family-watch/domain/operators/dto/directory.dto';
import { decodeTimePage } from '@family-watch/platform/database/page-cursor';
import { FamilyRepository } from './family.repository.js';

/** The state of a family, without what the family has paid for, which families do not know. */
export type FamilyOnlyState = Omit<FamilyStateDto, 'plans'>;

export type Membership = Pick<FamilyMemberEntity, 'familyId' | 'userId' | 'role'>;

/** Finds states of families for operators, without names. */
@Injectable()
export class FamilyStatesService {
  constructor(private readonly families: FamilyRepository) {}

  /**
   * Returns a page of families, the newest first.
   * @throws ServiceError VALIDATION_FAILED when the cursor is malformed
   */
  async findPage({ familyId, state, ...query }: FamilyStatesQueryDto): Promise<Page<FamilyOnlyState>> {
    const requested = decodeTimePage(query);
    if (familyId !== undefined && !isUuid(familyId)) return { items: [], nextCursor: null };
    const dissolved = state && state === FAMILY_STATE.DISSOLVED;
    const page = await this.families.findPage({ familyId, dissolved }, requested);
    const familyIds = page.items.map((family) => family.familyId);
    const members = Map.groupBy(await this.families.findMembersOfAll(familyIds), (member) => member.familyId);
    const children = Map.groupBy(await this.families.findLinksOfAll(familyIds), (link) => link.familyId);
    const items = page.items.map((family) => ({
      familyId: family.familyId,
      createdAt: family.createdAt,
      dissolvedAt: family.dissolvedAt,
      members: (members.get(family.familyId) ?? []).map(({ userId, role }) => ({ userId, role })),
      children: (children.get(family.familyId) ?? []).map(({ did }) => ({ did })),
    }));
    return { ...page, items };
  }

  findMemberships(userIds: readonly string[]): Promise<Membership[]> {
    return this.families.findMembershipsOfAll(userIds);
  }
}
