import {
  memberHasPermission,
  canSeeChildren,
  isInFamilyGroup,
  type FamilySnapshot,
} from '@family-watch/domain/families/contracts/membership';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { DeliverySubject } from '@family-watch/domain/messages/contracts/message-center';

/**
 * Returns whether this principal may receive a message with this subject. `family` is the latest snapshot,
 * absent if none is stored.
 */
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

/** Returns the members that may receive a message with this subject. */
export function filterRecipients(subject: DeliverySubject, family: FamilySnapshot): PrincipalKey[] {
  return family.members
    .map(({ userId }): PrincipalKey => `user:${userId}`)
    .filter((principal) => mayReceive(principal, subject, family));
}
