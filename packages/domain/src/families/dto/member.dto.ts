import { Id, Integer, Name, NestedList, OneOf, Reference, Text, UnixMilliseconds } from '../../kernel/dto/fields.js';
import { FAMILY_ROLE } from '../contracts/family-role.js';
import type { ChildPermission, FamilyRole } from '../contracts/family-role.js';
import { FamilyReferenceDto, ROLE_DESCRIPTION } from './family.dto.js';
import { ChildPermissions, Permissions } from './permission-fields.js';

export class MemberDto {
  @Id()
  familyId: string;

  @Id()
  userId: string;

  @Name({ example: 'Anna' })
  name: string;

  @OneOf(FAMILY_ROLE, { description: ROLE_DESCRIPTION, example: 2 })
  role: FamilyRole;

  @Permissions({ description: 'For every child that childPermissions does not name' })
  permissions: ChildPermission[];

  @ChildPermissions()
  childPermissions: Record<string, ChildPermission[]>;

  @Integer({ min: 1, max: 2_147_483_647, example: 1 })
  version: number;

  @UnixMilliseconds()
  joinTime: number;
}

/** There are few, so one page holds them all. */
export class MemberListDto {
  @NestedList(() => MemberDto, { maxItems: 1_000 })
  items: MemberDto[];

  @Text({ nullable: true })
  nextCursor: string | null;
}

export class MemberReferenceDto extends FamilyReferenceDto {
  @Reference({ example: '3f0c9a4e-77d2-4a0f-bf0e-6f8f4f6f2d10' })
  userId: string;
}

/** What is absent stays, as far as the role allows it. */
export class UpdateMemberDto extends MemberReferenceDto {
  @OneOf(FAMILY_ROLE, { optional: true, description: ROLE_DESCRIPTION, example: 3 })
  role?: FamilyRole;

  @Permissions({ optional: true })
  permissions?: ChildPermission[];

  @ChildPermissions({ optional: true })
  childPermissions?: Record<string, ChildPermission[]>;
}
