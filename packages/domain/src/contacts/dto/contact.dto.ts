import { FAMILY_ROLE } from '../../families/contracts/family-role.js';
import type { FamilyRole } from '../../families/contracts/family-role.js';
import {
  AreaCode,
  DeviceId,
  Flag,
  Id,
  Integer,
  Name,
  NestedList,
  OneOf,
  PhoneNumber,
  QueryDeviceId,
  Reference,
  Text,
} from '../../kernel/dto/fields.js';
import { LAST_SOS_ORDER } from '../contracts/contact.js';
import type { Contact, IdentityType } from '../contracts/contact.js';
import { Identity } from './identity-field.js';

const ROLE_DESCRIPTION = '1 owner, 2 guardian, 3 caregiver, 4 contact';

const MAKES_ROOM =
  'Whoever has this rank moves back by one, and so do those directly behind, up to the first free rank; ' +
  'the others keep theirs';

export class ContactDto implements Contact {
  @Id()
  refId: string;

  @Id({ description: 'The child whose contact this is' })
  cid: string;

  @Id({ optional: true, description: 'Absent for a contact without an account' })
  userId?: string;

  @Name({ example: 'Anna' })
  name: string;

  @PhoneNumber()
  phoneNumber: string;

  @AreaCode({ description: 'With +' })
  areaCode: string;

  @Name({ example: 'Mama', description: 'What the child calls this person' })
  appellation: string;

  @Identity()
  identityType: IdentityType;

  @OneOf(FAMILY_ROLE, { description: ROLE_DESCRIPTION, example: 2 })
  role: FamilyRole;

  @Integer({ min: 1, max: LAST_SOS_ORDER, example: 1, description: 'Rank in which an SOS asks for help' })
  sosOrder: number;

  @Flag()
  canCall: boolean;

  @Flag()
  canChat: boolean;

  @Flag()
  canVideo: boolean;

  @Flag({ description: 'Can call during school time' })
  schoolAllowed: boolean;
}

export class ContactListQueryDto {
  @QueryDeviceId()
  deviceId: number;
}

/** All contacts of the watch's child in the order of an SOS; there are few, so one page holds them all. */
export class ContactListDto {
  @Integer({ min: 0, max: 2_147_483_647, example: 7, description: 'Rises with every change of the list' })
  version: number;

  @NestedList(() => ContactDto, { maxItems: 1_000 })
  items: ContactDto[];

  @Text({ nullable: true })
  nextCursor: string | null;
}

export class ContactReferenceDto {
  @DeviceId()
  deviceId: number;

  @Reference({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  refId: string;
}

/** A contact without an account: a phone number that the watch can call. */
export class CreateContactDto {
  @DeviceId()
  deviceId: number;

  @Name({ example: 'Grandma Li' })
  name: string;

  @PhoneNumber()
  phoneNumber: string;

  @AreaCode()
  areaCode: string;

  @Name({ optional: true, example: 'Nana', description: 'What the child calls this person; the name by default' })
  appellation?: string;

  @Identity({ optional: true, example: 4 })
  identityType?: IdentityType;

  @OneOf(FAMILY_ROLE, { optional: true, description: `${ROLE_DESCRIPTION}; 4 by default`, example: 4 })
  role?: FamilyRole;

  @Integer({ optional: true, min: 1, max: LAST_SOS_ORDER, example: 3, description: `Last by default. ${MAKES_ROOM}` })
  sosOrder?: number;

  @Flag({ optional: true })
  canCall?: boolean;

  @Flag({ optional: true })
  schoolAllowed?: boolean;
}

/** Body of specification 2.6 and more: `deviceId` and `refId` name the contact, of the rest what is present changes. */
export class UpdateContactDto extends ContactReferenceDto {
  @Name({ optional: true, example: 'Mama' })
  appellation?: string;

  @Identity({ optional: true })
  identityType?: IdentityType;

  @OneOf(FAMILY_ROLE, { optional: true, description: ROLE_DESCRIPTION, example: 2 })
  role?: FamilyRole;

  @Name({ optional: true, description: 'Only of a contact without an account', example: 'Grandma Li' })
  name?: string;

  @PhoneNumber({ optional: true, description: 'Only of a contact without an account' })
  phoneNumber?: string;

  @AreaCode({ optional: true, description: 'Only of a contact without an account' })
  areaCode?: string;

  @Integer({ optional: true, min: 1, max: LAST_SOS_ORDER, example: 1, description: MAKES_ROOM })
  sosOrder?: number;

  @Flag({ optional: true })
  canCall?: boolean;

  @Flag({ optional: true, description: 'Only of a contact with an account' })
  canChat?: boolean;

  @Flag({ optional: true, description: 'Only of a contact with an account' })
  canVideo?: boolean;

  @Flag({ optional: true })
  schoolAllowed?: boolean;
}
