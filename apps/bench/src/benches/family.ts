import { randomUUID } from 'node:crypto';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';

/** Creates a family of an owner and one child with the watch `did`. */
export function createFamilySnapshot(did: number): FamilySnapshot {
  const userId = randomUUID();
  return {
    familyId: randomUUID(),
    version: 1,
    ownerUserId: userId,
    dissolved: false,
    members: [{ userId, role: FAMILY_ROLE.OWNER, permissions: [], childPermissions: {} }],
    children: [{ cid: randomUUID(), did }],
  };
}
