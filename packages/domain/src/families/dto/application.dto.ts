import { AccountPhoneNumberField } from '../../accounts/dto/phone-fields.js';
import type { IdentityType } from '../contracts/contact.js';
import { IdentityTypeField } from './contact.dto.js';
import { MAX_PAGE_LIMIT } from '../../kernel/contracts/pagination.js';
import {
  AreaCodeField,
  UuidField,
  IntegerField,
  NameField,
  NestedField,
  NestedListField,
  EnumField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { JOIN_REQUEST_STATE, type JoinRequestState } from '../contracts/family.js';
import { FAMILY_ROLE, type ChildPermission, type FamilyRole } from '../contracts/family-role.js';
import { ROLE_DESCRIPTION, ChildPermissionsField, PermissionsField } from './family.dto.js';

export class FamilyCodeDto {
  @StringField({
    example: '7KQ2M9XW4R',
    description: 'Ten characters. The watch shows them as text and as a QR code, for a person to enter or scan.',
  })
  familyCode: string;

  @IntegerField({ min: 1, example: 300, description: 'Seconds until the code expires' })
  expiresIn: number;
}

/** Requests to join a family. Exactly one of `inviteCode` and `familyCode` is required; it identifies the family. */
export class CreateApplicationDto {
  @StringField({
    optional: true,
    minLength: 1,
    maxLength: 128,
    description: 'Code of an invitation; creates a join request instead of accepting the invitation',
  })
  inviteCode?: string;

  @StringField({
    optional: true,
    minLength: 1,
    maxLength: 32,
    example: '7KQ2M9XW4R',
    description: 'Code that a watch of the family shows',
  })
  familyCode?: string;

  @NameField({ optional: true, example: 'Uncle Bo', description: 'What the children call this person' })
  appellation?: string;

  @IdentityTypeField({ optional: true, example: 5 })
  identityType?: IdentityType;
}

export class ApplicationListQueryDto extends PageQueryDto {
  @ReferenceField({
    optional: true,
    description: "Lists the join requests of this family (owner only); if omitted, the caller's own join requests",
  })
  familyId?: string;
}

/** The person who requests to join, as shown to the owner of the family. */
export class ApplicantDto {
  @UuidField()
  userId: string;

  @NameField({ example: 'Bo' })
  name: string;

  @AreaCodeField({ description: 'Country calling code, with +' })
  areaCode: string;

  @AccountPhoneNumberField()
  phoneNumber: string;
}

export class ApplicationDto {
  @UuidField()
  applicationId: string;

  @EnumField(JOIN_REQUEST_STATE, { description: 'After REJECTED, joining requires a new invitation by the owner' })
  state: JoinRequestState;

  @NameField({ example: 'Uncle Bo', description: 'What the children will call this person' })
  appellation: string;

  @IdentityTypeField({ example: 5 })
  identityType: IdentityType;

  @NestedField(() => ApplicantDto, { optional: true, description: 'Only for the owner of the family' })
  applicant?: ApplicantDto;

  @UnixMillisecondsField()
  createTime: number;

  @UnixMillisecondsField({ description: 'Deadline for the decision of the owner' })
  expireTime: number;

  @UnixMillisecondsField({ description: 'Time of the last change of state' })
  changeTime: number;
}

export class ApplicationListDto {
  @NestedListField(() => ApplicationDto, { maxItems: MAX_PAGE_LIMIT })
  items: ApplicationDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last page' })
  nextCursor: string | null;
}

export class OwnApplicationReferenceDto {
  @ReferenceField({ example: '5a1f3b52-6df4-4a8d-a0a6-6a1a1d8f7e11' })
  applicationId: string;
}

export class ApplicationReferenceDto extends OwnApplicationReferenceDto {
  @ReferenceField({ example: '9a7c1e5e-2b4f-4d39-8a53-5f3d8f0f6c11' })
  familyId: string;
}

export class ApproveApplicationDto extends ApplicationReferenceDto {
  @EnumField(FAMILY_ROLE, { description: `${ROLE_DESCRIPTION}; never 1`, example: 4 })
  role: FamilyRole;

  @PermissionsField({ optional: true, description: 'Default: everything that the role allows' })
  permissions?: ChildPermission[];

  @ChildPermissionsField({ optional: true })
  childPermissions?: Record<string, ChildPermission[]>;

  @NameField({
    optional: true,
    example: 'Uncle Bo',
    description: 'By default the appellation that the applicant requested',
  })
  appellation?: string;

  @IdentityTypeField({ optional: true, example: 5 })
  identityType?: IdentityType;
}
