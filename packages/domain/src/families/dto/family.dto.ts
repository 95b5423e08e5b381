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
import type { FamilyRole } from '../contracts/family-role.js';

export const ROLE_DESCRIPTION = '1 owner, 2 guardian, 3 caregiver, 4 contact';

export class FamilyReferenceDto {
  @ReferenceField({ example: '9a7c1e5e-2b4f-4d39-8a53-5f3d8f0f6c11' })
  familyId: string;
}

/** A family that the caller belongs to. */
export class FamilyDto {
  @UuidField()
  familyId: string;

  @NameField({ example: 'The Millers' })
  name: string;

  @UuidField()
  ownerUserId: string;

  @EnumField(FAMILY_ROLE, { description: `Role of the caller: ${ROLE_DESCRIPTION}`, example: 1 })
  role: FamilyRole;

  @IntegerField({ min: 0, max: 2_147_483_647, example: 4, description: 'Increases with every membership change' })
  version: number;

  @UnixMillisecondsField()
  createTime: number;
}

/** All families of the caller; always one page. */
export class FamilyListDto {
  @NestedListField(() => FamilyDto, { maxItems: 1_000 })
  items: FamilyDto[];

  @StringField({ nullable: true, description: 'Always null: the list has one page' })
  nextCursor: string | null;
}

export class UpdateFamilyDto extends FamilyReferenceDto {
  @NameField({ example: 'The Millers' })
  name: string;
}
