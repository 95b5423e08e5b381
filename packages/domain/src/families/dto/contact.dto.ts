import { FAMILY_ROLE, type FamilyRole } from '../contracts/family-role.js';
import {
  EnumField,
  AreaCodeField,
  DeviceIdField,
  BooleanField,
  UuidField,
  IntegerField,
  NameField,
  NestedListField,
  DeviceIdQueryField,
  ReferenceField,
  StringField,
  type FieldOptions,
} from '../../kernel/dto/fields.js';
import { IDENTITY_TYPE, MAX_SOS_ORDER, type IdentityType } from '../contracts/contact.js';
import { CallingCodeField, ContactPhoneNumberField } from '../../accounts/dto/phone-fields.js';

const IDENTITY_TYPES_DESCRIPTION =
  '0 custom, 1 father, 2 mother, 3 grandfather, 4 grandmother, 5 other relative, 6 friend';

/** Relation of a person to the child: one of {@link IDENTITY_TYPE}. `description` says which person. */
export function IdentityTypeField({ description, ...options }: FieldOptions = {}): PropertyDecorator {
  const prefix = description === undefined ? '' : `${description}: `;
  return EnumField(IDENTITY_TYPE, {
    example: IDENTITY_TYPE.MOTHER,
    ...options,
    description: prefix + IDENTITY_TYPES_DESCRIPTION,
  });
}

const ROLE_DESCRIPTION = '1 owner, 2 guardian, 3 caregiver, 4 contact';

const RANK_SHIFT_DESCRIPTION =
  'If another contact has this rank, that contact and the contacts directly after it move back by one, up to the ' +
  'first free rank. All other contacts keep their rank.';

/** A contact of a child, and how the contact and the child may communicate. */
export class ContactDto {
  @UuidField()
  refId: string;

  @UuidField({ description: 'The child whose contact this is' })
  cid: string;

  @UuidField({ optional: true, description: 'Absent for a contact without an account' })
  userId?: string;

  @NameField({ example: 'Anna' })
  name: string;

  @ContactPhoneNumberField()
  phoneNumber: string;

  @AreaCodeField({ description: 'Country calling code, with +' })
  areaCode: string;

  @NameField({ example: 'Mama', description: 'What the child calls this person' })
  appellation: string;

  @IdentityTypeField()
  identityType: IdentityType;

  /** The role in the family. For a contact without an account, the role is only a label and grants no rights. */
  @EnumField(FAMILY_ROLE, { description: ROLE_DESCRIPTION, example: 2 })
  role: FamilyRole;

  /** An SOS notifies the contacts one after another, the one with the lowest `sosOrder` first; unique per child. */
  @IntegerField({ min: 1, max: MAX_SOS_ORDER, example: 1, description: 'Rank in which an SOS notifies this contact' })
  sosOrder: number;

  @BooleanField()
  canCall: boolean;

  @BooleanField()
  canChat: boolean;

  @BooleanField()
  canVideo: boolean;

  @BooleanField({ description: 'May communicate with the child during school time' })
  schoolAllowed: boolean;
}

export class ContactListQueryDto {
  @DeviceIdQueryField()
  deviceId: number;
}

/** All contacts of the watch's child in the order of `sosOrder`, on one page. */
export class ContactListDto {
  @IntegerField({ min: 0, max: 2_147_483_647, example: 7, description: 'Increases with every change of the list' })
  version: number;

  @NestedListField(() => ContactDto, { maxItems: 1_000 })
  items: ContactDto[];

  @StringField({ nullable: true, description: 'Always null: the list has one page' })
  nextCursor: string | null;
}

export class ContactReferenceDto {
  @DeviceIdField()
  deviceId: number;

  @ReferenceField({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  refId: string;
}

/** Creates a contact without an account: a phone number that the watch can call. */
export class CreateContactDto {
  @DeviceIdField()
  deviceId: number;

  @NameField({ example: 'Grandma Li' })
  name: string;

  @ContactPhoneNumberField()
  phoneNumber: string;

  @CallingCodeField()
  areaCode: string;

  @NameField({ optional: true, example: 'Nana', description: 'What the child calls this person; by default `name`' })
  appellation?: string;

  @IdentityTypeField({ optional: true, example: 4 })
  identityType?: IdentityType;

  @EnumField(FAMILY_ROLE, { optional: true, description: `${ROLE_DESCRIPTION}; 4 by default`, example: 4 })
  role?: FamilyRole;

  @IntegerField({
    optional: true,
    min: 1,
    max: MAX_SOS_ORDER,
    example: 3,
    description: `Last by default. ${RANK_SHIFT_DESCRIPTION}`,
  })
  sosOrder?: number;

  @BooleanField({ optional: true })
  canCall?: boolean;

  @BooleanField({ optional: true })
  schoolAllowed?: boolean;
}

/** Updates a contact (specification 2.6, extended). Omitted fields are unchanged. */
export class UpdateContactDto extends ContactReferenceDto {
  @NameField({ optional: true, example: 'Mama' })
  appellation?: string;

  @IdentityTypeField({ optional: true })
  identityType?: IdentityType;

  @EnumField(FAMILY_ROLE, { optional: true, description: ROLE_DESCRIPTION, example: 2 })
  role?: FamilyRole;

  @NameField({ optional: true, description: 'Only for a contact without an account', example: 'Grandma Li' })
  name?: string;

  @ContactPhoneNumberField({ optional: true, description: 'Only for a contact without an account.' })
  phoneNumber?: string;

  @CallingCodeField({ optional: true, description: 'Only for a contact without an account' })
  areaCode?: string;

  @IntegerField({ optional: true, min: 1, max: MAX_SOS_ORDER, example: 1, description: RANK_SHIFT_DESCRIPTION })
  sosOrder?: number;

  @BooleanField({ optional: true })
  canCall?: boolean;

  @BooleanField({ optional: true, description: 'Only for a contact with an account' })
  canChat?: boolean;

  @BooleanField({ optional: true, description: 'Only for a contact with an account' })
  canVideo?: boolean;

  @BooleanField({ optional: true })
  schoolAllowed?: boolean;
}
