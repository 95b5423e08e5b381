import type { IdentityType } from '../contracts/contact.js';
import { IdentityTypeField } from './contact.dto.js';
import {
  UuidField,
  NameField,
  NestedListField,
  EnumField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { FAMILY_ROLE, type ChildPermission, type FamilyRole } from '../contracts/family-role.js';
import { FamilyReferenceDto, ROLE_DESCRIPTION, ChildPermissionsField, PermissionsField } from './family.dto.js';

export class CreateInvitationDto extends FamilyReferenceDto {
  @EnumField(FAMILY_ROLE, { description: `${ROLE_DESCRIPTION}; never 1`, example: 2 })
  role: FamilyRole;

  @PermissionsField({ optional: true, description: 'Default: everything that the role allows' })
  permissions?: ChildPermission[];

  @ChildPermissionsField({ optional: true })
  childPermissions?: Record<string, ChildPermission[]>;

  @NameField({ optional: true, example: 'Papa', description: 'What the children call this person' })
  appellation?: string;

  @IdentityTypeField({ optional: true, example: 1 })
  identityType?: IdentityType;
}

export class CreatedInvitationDto {
  @UuidField()
  invitationId: string;

  @StringField({
    example: 'Zk1vQ3J5cHRvUmFuZG9tNQ',
    description: 'Code for the invited person. Only this response contains the code.',
  })
  code: string;

  @UnixMillisecondsField()
  expireTime: number;
}

export class AcceptInvitationDto {
  @StringField({ minLength: 1, maxLength: 128, example: 'Zk1vQ3J5cHRvUmFuZG9tNQ' })
  code: string;
}

/** What an invited person learns before the decision. */
export class InvitationPreviewDto {
  @NameField({ example: 'Family of Anna' })
  familyName: string;

  @NameField({ example: 'Anna', description: 'The owner of the family' })
  inviterName: string;

  @EnumField(FAMILY_ROLE, { description: ROLE_DESCRIPTION, example: 2 })
  role: FamilyRole;

  @NameField({ optional: true, example: 'Papa', description: 'What the children will call this person' })
  appellation?: string;

  @UnixMillisecondsField()
  expireTime: number;
}

export class AcceptedInvitationDto {
  @UuidField()
  familyId: string;
}

export class InvitationReferenceDto extends FamilyReferenceDto {
  @ReferenceField({ example: '1d9b7c7a-1c55-4f0f-9e0e-0a8e4a3b6f02' })
  invitationId: string;
}

/** A pending invitation, without its code. */
export class InvitationDto {
  @UuidField()
  invitationId: string;

  @EnumField(FAMILY_ROLE, { description: ROLE_DESCRIPTION, example: 2 })
  role: FamilyRole;

  @PermissionsField()
  permissions: ChildPermission[];

  @ChildPermissionsField()
  childPermissions: Record<string, ChildPermission[]>;

  @NameField({ optional: true, example: 'Papa' })
  appellation?: string;

  @UnixMillisecondsField()
  createTime: number;

  @UnixMillisecondsField()
  expireTime: number;
}

/** All pending invitations of the family, on one page. */
export class InvitationListDto {
  @NestedListField(() => InvitationDto, { maxItems: 1_000 })
  items: InvitationDto[];

  @StringField({ nullable: true, description: 'Always null: the list has one page' })
  nextCursor: string | null;
}
