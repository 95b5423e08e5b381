import type { IdentityType } from '../../contacts/contracts/contact.js';
import { Identity } from '../../contacts/dto/identity-field.js';
import { Id, Name, NestedList, OneOf, Reference, Text, UnixMilliseconds } from '../../kernel/dto/fields.js';
import { FAMILY_ROLE } from '../contracts/family-role.js';
import type { ChildPermission, FamilyRole } from '../contracts/family-role.js';
import { FamilyReferenceDto, ROLE_DESCRIPTION } from './family.dto.js';
import { ChildPermissions, Permissions } from './permission-fields.js';

export class CreateInvitationDto extends FamilyReferenceDto {
  @OneOf(FAMILY_ROLE, { description: `${ROLE_DESCRIPTION}; never 1`, example: 2 })
  role: FamilyRole;

  @Permissions({ optional: true, description: 'Everything that the role allows by default' })
  permissions?: ChildPermission[];

  @ChildPermissions({ optional: true })
  childPermissions?: Record<string, ChildPermission[]>;

  @Name({ optional: true, example: 'Papa', description: 'What the children call this person' })
  appellation?: string;

  @Identity({ optional: true, example: 1 })
  identityType?: IdentityType;
}

export class CreatedInvitationDto {
  @Id()
  invitationId: string;

  @Text({ example: 'Zk1vQ3J5cHRvUmFuZG9tNQ', description: 'To be handed to the person; shown this once' })
  code: string;

  @UnixMilliseconds()
  expireTime: number;
}

export class AcceptInvitationDto {
  @Text({ minLength: 1, maxLength: 128, example: 'Zk1vQ3J5cHRvUmFuZG9tNQ' })
  code: string;
}

export class AcceptedInvitationDto {
  @Id()
  familyId: string;
}

export class InvitationReferenceDto extends FamilyReferenceDto {
  @Reference({ example: '1d9b7c7a-1c55-4f0f-9e0e-0a8e4a3b6f02' })
  invitationId: string;
}

/** An invitation that can still be accepted; its code is known to nobody but who has it. */
export class InvitationDto {
  @Id()
  invitationId: string;

  @OneOf(FAMILY_ROLE, { description: ROLE_DESCRIPTION, example: 2 })
  role: FamilyRole;

  @Permissions()
  permissions: ChildPermission[];

  @ChildPermissions()
  childPermissions: Record<string, ChildPermission[]>;

  @Name({ optional: true, example: 'Papa' })
  appellation?: string;

  @UnixMilliseconds()
  createTime: number;

  @UnixMilliseconds()
  expireTime: number;
}

/** There are few, so one page holds them all. */
export class InvitationListDto {
  @NestedList(() => InvitationDto, { maxItems: 1_000 })
  items: InvitationDto[];

  @Text({ nullable: true })
  nextCursor: string | null;
}
