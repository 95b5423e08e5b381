import type { IdentityType } from '../../contacts/contracts/contact.js';
import { Identity } from '../../contacts/dto/identity-field.js';
import { MAX_PAGE_LIMIT } from '../../kernel/contracts/pagination.js';
import {
  AreaCode,
  Id,
  Integer,
  Name,
  Nested,
  NestedList,
  OneOf,
  PhoneNumber,
  Reference,
  Text,
  UnixMilliseconds,
} from '../../kernel/dto/fields.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { FAMILY_APPLICATION_STATE } from '../contracts/family-application.js';
import type { FamilyApplicationState } from '../contracts/family-application.js';
import { FAMILY_ROLE } from '../contracts/family-role.js';
import type { ChildPermission, FamilyRole } from '../contracts/family-role.js';
import { ROLE_DESCRIPTION } from './family.dto.js';
import { ChildPermissions, Permissions } from './permission-fields.js';

export class FamilyCodeDto {
  @Text({ example: '7KQ2M9XW4R', description: 'Ten characters, as text and as QR; shown to somebody who is there' })
  familyCode: string;

  @Integer({ min: 1, example: 300, description: 'Seconds' })
  expiresIn: number;
}

/** One of the two codes says which family. */
export class CreateApplicationDto {
  @Text({ optional: true, minLength: 1, maxLength: 128, description: 'Of an invitation: asks instead of joining' })
  inviteCode?: string;

  @Text({ optional: true, minLength: 1, maxLength: 32, example: '7KQ2M9XW4R', description: 'What a watch shows' })
  familyCode?: string;

  @Name({ optional: true, example: 'Uncle Bo', description: 'What the children call this person' })
  appellation?: string;

  @Identity({ optional: true, example: 5 })
  identityType?: IdentityType;
}

export class ApplicationListQueryDto extends PageQueryDto {
  @Reference({ optional: true, description: "The family's applications, for its owner; absent: the caller's own" })
  familyId?: string;
}

/** Who applies, as the owner sees it. */
export class ApplicantDto {
  @Id()
  userId: string;

  @Name({ example: 'Bo' })
  name: string;

  @AreaCode({ description: 'With +' })
  areaCode: string;

  @PhoneNumber()
  phoneNumber: string;
}

export class ApplicationDto {
  @Id()
  applicationId: string;

  @OneOf(FAMILY_APPLICATION_STATE, { description: 'After REJECTED only a new invitation of the owner leads further' })
  state: FamilyApplicationState;

  @Name({ example: 'Uncle Bo', description: 'What the children are to call this person' })
  appellation: string;

  @Identity({ example: 5 })
  identityType: IdentityType;

  @Nested(() => ApplicantDto, { optional: true, description: 'For the owner of the family' })
  applicant?: ApplicantDto;

  @UnixMilliseconds()
  createTime: number;

  @UnixMilliseconds({ description: 'Until then the owner can decide' })
  expireTime: number;

  @UnixMilliseconds({ description: 'When the state last changed' })
  changeTime: number;
}

export class ApplicationListDto {
  @NestedList(() => ApplicationDto, { maxItems: MAX_PAGE_LIMIT })
  items: ApplicationDto[];

  @Text({ nullable: true })
  nextCursor: string | null;
}

export class OwnApplicationReferenceDto {
  @Reference({ example: '5a1f3b52-6df4-4a8d-a0a6-6a1a1d8f7e11' })
  applicationId: string;
}

export class ApplicationReferenceDto extends OwnApplicationReferenceDto {
  @Reference({ example: '9a7c1e5e-2b4f-4d39-8a53-5f3d8f0f6c11' })
  familyId: string;
}

export class ApproveApplicationDto extends ApplicationReferenceDto {
  @OneOf(FAMILY_ROLE, { description: `${ROLE_DESCRIPTION}; never 1`, example: 4 })
  role: FamilyRole;

  @Permissions({ optional: true, description: 'Everything that the role allows by default' })
  permissions?: ChildPermission[];

  @ChildPermissions({ optional: true })
  childPermissions?: Record<string, ChildPermission[]>;

  @Name({ optional: true, example: 'Uncle Bo', description: 'As the applicant wishes by default' })
  appellation?: string;

  @Identity({ optional: true, example: 5 })
  identityType?: IdentityType;
}
