import { randomUUID } from 'node:crypto';
import {
  FAMILY_ROLE,
  MAX_PERMISSIONS_BY_ROLE,
  type FamilyRole,
} from '@family-watch/domain/families/contracts/family-role';
import type { FamilySnapshot, MemberSnapshot } from '@family-watch/domain/families/contracts/membership';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { randomDid } from './cloud-server.js';

export function createUser(): Principal {
  return { type: 'user', id: randomUUID(), sessionId: randomUUID() };
}

export function watchPrincipal(did: number): Principal {
  return { type: 'watch', id: String(did), sessionId: randomUUID() };
}

export function memberSnapshot(
  { id }: Principal,
  role: FamilyRole,
  changes: Partial<MemberSnapshot> = {},
): MemberSnapshot {
  return { userId: id, role, permissions: [...MAX_PERMISSIONS_BY_ROLE[role]], childPermissions: {}, ...changes };
}

/** A family with one member of each role, and two children with a watch each. */
export function sampleFamily() {
  const [owner, guardian, caregiver, contact] = [createUser(), createUser(), createUser(), createUser()];
  const dids = [randomDid(), randomDid()] as const;
  const cids = [randomUUID(), randomUUID()] as const;
  const familyId = randomUUID();
  const snapshot: FamilySnapshot = {
    familyId,
    version: 1,
    ownerUserId: owner.id,
    dissolved: false,
    members: [
      memberSnapshot(owner, FAMILY_ROLE.OWNER),
      memberSnapshot(guardian, FAMILY_ROLE.GUARDIAN),
      memberSnapshot(caregiver, FAMILY_ROLE.CAREGIVER),
      memberSnapshot(contact, FAMILY_ROLE.CONTACT),
    ],
    children: [
      { cid: cids[0], did: dids[0] },
      { cid: cids[1], did: dids[1] },
    ],
  };
  return {
    cloudID: familyId,
    owner,
    guardian,
    caregiver,
    contact,
    dids,
    cids,
    watches: dids.map(watchPrincipal),
    snapshot,
  };
}

export type SampleFamily = ReturnType<typeof sampleFamily>;
