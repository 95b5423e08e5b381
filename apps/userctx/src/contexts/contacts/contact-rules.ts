import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { FamilyRole } from '@family-watch/domain/families/contracts/family-role';
import type { UpdateContactDto } from '@family-watch/domain/contacts/dto/contact.dto';
import type { ErrorDetail } from '@family-watch/domain/kernel/contracts/service-error';

/**
 * May a member of role `actor` give a contact that has role `from` the role `to`? Only the owner gives roles: nobody
 * raises their own, changes the owner's, or makes a second owner (specification 4.3, attack A6).
 */
export function canChangeRole(actor: FamilyRole, from: FamilyRole, to: FamilyRole): boolean {
  if (from === to) return true;
  return actor === FAMILY_ROLE.OWNER && from !== FAMILY_ROLE.OWNER && to !== FAMILY_ROLE.OWNER;
}

const ACCOUNT_FIELDS = ['name', 'phoneNumber', 'areaCode'] as const;
const REACH_FIELDS = ['canChat', 'canVideo'] as const;

/**
 * Name and number of a member are the account's, so that a client cannot put its own number under a parent's face
 * (attack A17); a contact without an account is just a phone number.
 */
export function validateContactChange(change: UpdateContactDto, hasAccount: boolean): ErrorDetail[] {
  if (hasAccount) {
    return ACCOUNT_FIELDS.filter((field) => change[field] !== undefined).map((field) => ({
      field,
      rule: 'isOfAccount',
      message: `${field} of a member follows the member's account`,
    }));
  }
  return REACH_FIELDS.filter((field) => change[field] === true).map((field) => ({
    field,
    rule: 'needsAccount',
    message: `${field} needs a contact with an account`,
  }));
}
