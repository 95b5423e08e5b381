import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { FamilyRole } from '@family-watch/domain/families/contracts/family-role';
import type { UpdateContactDto } from '@family-watch/domain/contacts/dto/contact.dto';
import type { ErrorDetail } from '@family-watch/domain/kernel/contracts/service-error';

/**
 * Returns whether a member of role `actor` may change a contact's role from `from` to `to`. Only the owner assigns
 * roles. Nobody can raise their own role, change the owner's, or create a second owner (specification 4.3).
 */
export function canChangeRole(actor: FamilyRole, from: FamilyRole, to: FamilyRole): boolean {
  if (from === to) return true;
  return actor === FAMILY_ROLE.OWNER && from !== FAMILY_ROLE.OWNER && to !== FAMILY_ROLE.OWNER;
}

const ACCOUNT_FIELDS = ['name', 'phoneNumber', 'areaCode'] as const;
const ACCOUNT_ONLY_PERMISSIONS = ['canChat', 'canVideo'] as const;

/**
 * Validates an update of a contact. Name and number of a member are those of the account, so that a client cannot
 * assign its own number to a parent's contact. A contact without an account has only a phone number.
 */
export function validateContactChange(change: UpdateContactDto, hasAccount: boolean): ErrorDetail[] {
  if (hasAccount) {
    return ACCOUNT_FIELDS.filter((field) => change[field] !== undefined).map((field) => ({
      field,
      rule: 'isOfAccount',
      message: `${field} of a member cannot be changed: it is the account's`,
    }));
  }
  return ACCOUNT_ONLY_PERMISSIONS.filter((field) => change[field] === true).map((field) => ({
    field,
    rule: 'needsAccount',
    message: `${field} requires a contact with an account`,
  }));
}
