import {
  UuidField,
  IntegerField,
  NameField,
  NestedListField,
  EnumField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { FAMILY_ROLE } from '../contracts/family-role.js';
import type { ChildPermission, FamilyRole } from '../contracts/family-role.js';
import { FamilyReferenceDto, ROLE_DESCRIPTION } from './family.dto.js';
import { ChildPermissionsField, PermissionsField } from './permission-fields.js';

export class MemberDto {
  @UuidField()
  familyId: string;

  @UuidField()
  userId: string;

  @NameField({ example: 'Anna' })
  name: string;

  @EnumField(FAMILY_ROLE, { description: ROLE_DESCRIPTION, example: 2 })
  role: FamilyRole;

  @PermissionsField({ description: 'For every child without an entry in childPermissions' })
  permissions: ChildPermission[];

  @ChildPermissionsField()
  childPermissions: Record<string, ChildPermission[]>;

  @IntegerField({ min: 1, max: 2_147_483_647, example: 1 })
  version: number;

  @UnixMillisecondsField()
  joinTime: number;
}

/** All members of the family; always one page. */
export class MemberListDto {
  @NestedListField(() => MemberDto, { maxItems: 1_000 })
  items: MemberDto[];

  @StringField({ nullable: true, description: 'Always null: the list has one page' })
  nextCursor: string | null;
}

export class MemberReferenceDto extends FamilyReferenceDto {
  @ReferenceField({ example: '3f0c9a4e-77d2-4a0f-bf0e-6f8f4f6f2d10' })
  userId: string;
}

/** Omitted fields are unchanged, except permissions that a new role does not allow. */
export class UpdateMemberDto extends MemberReferenceDto {
  @EnumField(FAMILY_ROLE, { optional: true, description: ROLE_DESCRIPTION, example: 3 })
  role?: FamilyRole;

  @PermissionsField({ optional: true })
  permissions?: ChildPermission[];

  @ChildPermissionsField({ optional: true })
  childPermissions?: Record<string, ChildPermission[]>;
}
