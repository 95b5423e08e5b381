import { randomUUID } from 'node:crypto';
import { FAMILY_ROLE, MAX_PERMISSIONS_BY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { FamilyRole } from '@family-watch/domain/families/contracts/family-role';
import type { FamilySnapshot, MemberSnapshot } from '@family-watch/domain/families/contracts/membership';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { randomDid } from './cloud-server.js';

export function user(): Principal {
  return { type: 'user', id: randomUUID(), sessionId: randomUUID() };
}

export function watch(did: number): Principal {
  return { type: 'watch', id: String(did), sessionId: randomUUID() };
}

export function member({ id }: Principal, role: FamilyRole, changes: Partial<MemberSnapshot> = {}): MemberSnapshot {
  return { userId: id, role, permissions: [...MAX_PERMISSIONS_BY_ROLE[role]], childPermissions: {}, ...changes };
}

/** A family with one member of each role, and two children with a watch each. */
export function sampleFamily() {
  const [owner, guardian, caregiver, contact] = [user(), user(), user(), user()];
  const dids = [randomDid(), randomDid()] as const;
  const cids = [randomUUID(), randomUUID()] as const;
  const familyId = randomUUID();
  const snapshot: FamilySnapshot = {
    familyId,
    version: 1,
    ownerUserId: owner.id,
    dissolved: false,
    members: [
      member(owner, FAMILY_ROLE.OWNER),
      member(guardian, FAMILY_ROLE.GUARDIAN),
      member(caregiver, FAMILY_ROLE.CAREGIVER),
      member(contact, FAMILY_ROLE.CONTACT),
    ],
    children: [
      { cid: cids[0], did: dids[0] },
      { cid: cids[1], did: dids[1] },
    ],
  };
  return { cloudID: familyId, owner, guardian, caregiver, contact, dids, cids, watches: dids.map(watch), snapshot };
}

export type SampleFamily = ReturnType<typeof sampleFamily>;
