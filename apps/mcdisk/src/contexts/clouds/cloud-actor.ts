import { CLOUD_RIGHT, CLOUD_ROLE } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import type { CloudRight, CloudRole } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { FamilyRole } from '@family-watch/domain/families/contracts/family-role';
import { memberHasPermission } from '@family-watch/domain/families/contracts/membership';
import type { FamilySnapshot, MemberSnapshot } from '@family-watch/domain/families/contracts/membership';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';

/** Whose contents somebody may see: of all children but those named, or only of those named. */
export interface Visibility {
  mode: 'ALL_BUT' | 'ONLY';
  cids: readonly string[];
}

/** Somebody in a family's cloud, and what they may there. */
export interface CloudActor {
  cloudId: string;
  principal: PrincipalKey;
  role: CloudRole;
  /** The child as which a watch acts; `null` for a member. */
  cid: string | null;
  rights: readonly CloudRight[];
  visibility: Visibility;
}

const { READ, ADD, DELETE, PURGE } = CLOUD_RIGHT;

const RIGHTS_OF_MEMBER: Readonly<Record<FamilyRole, readonly CloudRight[]>> = {
  [FAMILY_ROLE.OWNER]: [READ, ADD, DELETE, PURGE],
  [FAMILY_ROLE.GUARDIAN]: [READ, ADD, DELETE],
  [FAMILY_ROLE.CAREGIVER]: [READ, ADD],
  [FAMILY_ROLE.CONTACT]: [],
};

const ROLE_OF_MEMBER: Readonly<Record<FamilyRole, CloudRole>> = {
  [FAMILY_ROLE.OWNER]: CLOUD_ROLE.OWNER,
  [FAMILY_ROLE.GUARDIAN]: CLOUD_ROLE.MANAGER,
  [FAMILY_ROLE.CAREGIVER]: CLOUD_ROLE.MEMBER,
  [FAMILY_ROLE.CONTACT]: CLOUD_ROLE.MEMBER,
};

/** The same as a ticket can allow at most. */
const RIGHTS_OF_CHILD: readonly CloudRight[] = [READ, ADD, DELETE];

const EVERYTHING: Visibility = { mode: 'ALL_BUT', cids: [] };

/** What this principal is in the cloud of this family; `undefined` for a stranger and in a dissolved family. */
export function resolveActor(family: FamilySnapshot, caller: Pick<Principal, 'type' | 'id'>): CloudActor | undefined {
  if (family.dissolved) return undefined;
  const base = { cloudId: family.familyId, principal: principalKey(caller) };
  if (caller.type === 'watch') {
    const child = family.children.find(({ did }) => did !== null && String(did) === caller.id);
    if (!child) return undefined;
    return { ...base, role: CLOUD_ROLE.CHILD_DEVICE, cid: child.cid, rights: RIGHTS_OF_CHILD, visibility: EVERYTHING };
  }
  const member = caller.type === 'user' ? family.members.find(({ userId }) => userId === caller.id) : undefined;
  if (!member) return undefined;
  const visibility = sightOf(member);
  const shut = visibility.mode === 'ONLY' && visibility.cids.length === 0;
  const rights = shut ? [] : RIGHTS_OF_MEMBER[member.role];
  return { ...base, role: ROLE_OF_MEMBER[member.role], cid: null, rights, visibility };
}

export function hasRight(actor: CloudActor, right: CloudRight): boolean {
  return actor.rights.includes(right);
}

/** May the actor see a content of this child's watch (`null`: one that a member added)? */
export function canSee({ visibility }: CloudActor, cid: string | null): boolean {
  return cid === null || (visibility.mode === 'ONLY') === visibility.cids.includes(cid);
}

/** Permissions stand per child: a child that is not named has what the member has in general. */
function sightOf(member: MemberSnapshot): Visibility {
  if (member.role === FAMILY_ROLE.OWNER) return EVERYTHING;
  const general = memberHasPermission(member, 'CLOUD', '');
  const cids = Object.keys(member.childPermissions).filter(
    (cid) => memberHasPermission(member, 'CLOUD', cid) !== general,
  );
  return { mode: general ? 'ALL_BUT' : 'ONLY', cids };
}
