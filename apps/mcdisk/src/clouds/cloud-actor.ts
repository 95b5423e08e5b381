import {
  CLOUD_RIGHT,
  CLOUD_ROLE,
  type CloudRight,
  type CloudRole,
} from '@family-watch/domain/family-cloud/contracts/cloud-access';
import { FAMILY_ROLE, type FamilyRole } from '@family-watch/domain/families/contracts/family-role';
import {
  memberHasPermission,
  type FamilySnapshot,
  type MemberSnapshot,
} from '@family-watch/domain/families/contracts/membership';
import { principalKey, type Principal, type PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';

/** Children whose contents a member may see: all except `cids`, or only `cids`. */
export interface Visibility {
  mode: 'ALL_BUT' | 'ONLY';
  cids: readonly string[];
}

/** A principal in a family cloud, with role, rights and visibility. */
export interface CloudActor {
  cloudId: string;
  principal: PrincipalKey;
  role: CloudRole;
  /** The child that a watch acts for, or `null` for a member. */
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

/** Rights of a watch: all rights that a cloud ticket can grant. */
const RIGHTS_OF_CHILD: readonly CloudRight[] = [READ, ADD, DELETE];

const FULL_VISIBILITY: Visibility = { mode: 'ALL_BUT', cids: [] };

/**
 * Returns the principal as actor in the cloud of this family, or `undefined` for principals outside the family and in a
 * dissolved family.
 */
export function resolveActor(family: FamilySnapshot, caller: Pick<Principal, 'type' | 'id'>): CloudActor | undefined {
  if (family.dissolved) return undefined;
  const base = { cloudId: family.familyId, principal: principalKey(caller) };
  if (caller.type === 'watch') {
    const child = family.children.find(({ did }) => did !== null && String(did) === caller.id);
    if (!child) return undefined;
    return {
      ...base,
      role: CLOUD_ROLE.CHILD_DEVICE,
      cid: child.cid,
      rights: RIGHTS_OF_CHILD,
      visibility: FULL_VISIBILITY,
    };
  }
  const member = caller.type === 'user' ? family.members.find(({ userId }) => userId === caller.id) : undefined;
  if (!member) return undefined;
  const visibility = visibilityOf(member);
  const seesNothing = visibility.mode === 'ONLY' && visibility.cids.length === 0;
  const rights = seesNothing ? [] : RIGHTS_OF_MEMBER[member.role];
  return { ...base, role: ROLE_OF_MEMBER[member.role], cid: null, rights, visibility };
}

export function hasRight(actor: CloudActor, right: CloudRight): boolean {
  return actor.rights.includes(right);
}

/**
 * Returns whether the actor may see a content that the watch of the child `cid` added, or that a member added if `cid`
 * is `null`.
 */
export function canSee({ visibility }: CloudActor, cid: string | null): boolean {
  return cid === null || (visibility.mode === 'ONLY') === visibility.cids.includes(cid);
}

/**
 * Returns the member's visibility. Permissions can be set per child; for all other children the general permissions of
 * the member apply.
 */
function visibilityOf(member: MemberSnapshot): Visibility {
  if (member.role === FAMILY_ROLE.OWNER) return FULL_VISIBILITY;
  const hasGeneralPermission = memberHasPermission(member, 'CLOUD', '');
  const cids = Object.keys(member.childPermissions).filter(
    (cid) => memberHasPermission(member, 'CLOUD', cid) !== hasGeneralPermission,
  );
  return { mode: hasGeneralPermission ? 'ALL_BUT' : 'ONLY', cids };
}
