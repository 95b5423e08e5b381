import { Injectable } from '@nestjs/common';
import { CHILD_PERMISSION, FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import {
  memberHasPermission,
  type FamilySnapshot,
  type MemberSnapshot,
} from '@family-watch/domain/families/contracts/membership';
import { FamilyRosterService } from '../../families/family-roster.service.js';
import { FamilySnapshotsService } from '../../families/family-snapshots.service.js';

/** What a person may see at one moment. */
export interface ExportScope {
  families: readonly FamilySnapshot[];
  /**
   * One text per family and role, per family and general permission, and per child and permission. A role is named with
   * all lower roles, so that a person who rises keeps the earlier texts.
   */
  rights: readonly string[];
}

/** Determines what a person may see, and whether the person may still see what an archive contains. */
@Injectable()
export class ExportScopeService {
  constructor(
    private readonly roster: FamilyRosterService,
    private readonly snapshots: FamilySnapshotsService,
  ) {}

  async find(userId: string): Promise<ExportScope> {
    const found = await this.snapshots.find(await this.roster.findFamilies(userId));
    const families = found.map(({ payload }) => payload as FamilySnapshot).filter(({ dissolved }) => !dissolved);
    const rights = families.flatMap((family) => {
      const member = family.members.find((each) => each.userId === userId);
      return member ? rightsOf(family, member) : [];
    });
    return { families, rights };
  }

  /** Returns whether the person still has all these rights. */
  async hasAll(userId: string, rights: readonly string[]): Promise<boolean> {
    const current = new Set((await this.find(userId)).rights);
    return rights.every((right) => current.has(right));
  }
}

function rightsOf({ familyId, children }: FamilySnapshot, member: MemberSnapshot): string[] {
  const roles = Object.values(FAMILY_ROLE).filter((role) => role >= member.role);
  const grantedPermissions = (cid: string) =>
    Object.values(CHILD_PERMISSION).filter((permission) => memberHasPermission(member, permission, cid));
  return [
    ...roles.map((role) => `family:${familyId}:${role}`),
    // They decide about the files of members also while the family has no child.
    ...grantedPermissions('').map((permission) => `family:${familyId}:${permission}`),
    ...children.flatMap(({ cid }) => [
      `child:${cid}`,
      ...grantedPermissions(cid).map((permission) => `child:${cid}:${permission}`),
    ]),
  ];
}
