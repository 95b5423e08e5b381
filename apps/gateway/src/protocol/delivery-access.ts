import type { ChildPermission } from '@family-watch/domain/families/contracts/family-role';
import {
  memberHasPermission,
  canSeeChildren,
  isInFamilyGroup,
} from '@family-watch/domain/families/contracts/membership';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';

/**
 * Who of a family a message is for: every member, those who see the children, those who talk in the family group, or
 * those with a permission for the child. A watch receives what is about its own child, whatever the audience.
 */
export type Audience = 'MEMBERS' | 'GUARDIANS' | 'FAMILY_GROUP' | ChildPermission;

/** What a message is about, as far as it decides who may receive it. */
export interface DeliverySubject {
  /** `null`: about no family, so membership does not matter. */
  familyId: string | null;
  cid: string | null;
  audience: Audience;
}

/** May this principal receive it now? `family` is the newest snapshot, absent when there is none. */
export function mayReceive(
  principal: PrincipalKey,
  { familyId, cid, audience }: DeliverySubject,
  family: FamilySnapshot | undefined,
): boolean {
  if (familyId === null) return true;
  if (!family || family.dissolved) return false;
  const [type, id = ''] = principal.split(':');
  if (type === 'watch') return family.children.some((child) => child.cid === cid && String(child.did) === id);
  const member = family.members.find(({ userId }) => userId === id);
  if (!member) return false;
  if (audience === 'MEMBERS') return true;
  if (audience === 'GUARDIANS') return canSeeChildren(member);
  if (audience === 'FAMILY_GROUP') return isInFamilyGroup(member, family);
  return cid !== null && memberHasPermission(member, audience, cid);
}

/** The members whom a message with this subject is for. */
export function filterRecipients(subject: DeliverySubject, family: FamilySnapshot): PrincipalKey[] {
  return family.members
    .map(({ userId }): PrincipalKey => `user:${userId}`)
    .filter((principal) => mayReceive(principal, subject, family));
}
