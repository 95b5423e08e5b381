import type { Schema } from '@family-watch/client';
import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import type { Session } from '../../core/session/session-store.js';
import { useSession } from '../../core/session/use-session.js';

export type Family = Schema<'FamilyDto'>;
export type Member = Schema<'MemberDto'>;
type Permission = Member['permissions'][number];

export const OWNER = 1;
export const GUARDIAN = 2;
export const CONTACT = 4;

export function familiesQuery({ client }: Session) {
  return queryOptions({
    queryKey: ['families', 'list'],
    queryFn: ({ signal }) => client.families.list(undefined, { signal }),
  });
}

/** The members of a family, the owner first; not available to contacts. */
export function membersQuery({ client }: Session, familyId: string) {
  return queryOptions({
    queryKey: ['families', 'members', familyId],
    queryFn: ({ signal }) => client.families.listMembers({ familyId }, { signal }),
  });
}

/** The children that the person may see, each with its watch and last location. */
export function childrenQuery({ client }: Session) {
  return queryOptions({
    queryKey: ['children', 'list'],
    queryFn: ({ signal }) => client.children.list(undefined, { signal }),
  });
}

/** The bound watches of the families, with what they last reported. */
export function watchesQuery({ client }: Session) {
  return queryOptions({ queryKey: ['watches', 'list'], queryFn: ({ signal }) => client.watches.list({}, { signal }) });
}

/** What the family has entered about a child. */
export function childDetailQuery({ client }: Session, cid: string) {
  return queryOptions({
    queryKey: ['children', 'detail', cid],
    queryFn: ({ signal }) => client.children.get({ cid }, { signal }),
  });
}

/**
 * Returns what the person may do for a child. An action whose permission is not known yet counts as allowed, because
 * the service decides.
 */
export function useChildAccess(cid: string) {
  const session = useSession();
  const watches = useQuery(watchesQuery(session)).data?.items;
  const watch = watches?.find((each) => each.cid === cid);
  // The list of the watches, which most pages need, names the family of a child with a watch.
  const detail = useQuery({ ...childDetailQuery(session, cid), enabled: watches !== undefined && !watch });
  const familyId = watch?.familyId ?? detail.data?.familyId ?? '';
  const families = useQuery(familiesQuery(session));
  const members = useQuery({ ...membersQuery(session, familyId), enabled: familyId !== '' });
  const role = families.data?.items.find((family) => family.familyId === familyId)?.role;
  const own = members.data?.items.find(({ userId }) => userId === session.userId);
  const granted = own && (own.childPermissions[cid] ?? own.permissions);
  const may = (permission: Permission) => role === OWNER || (granted?.includes(permission) ?? true);
  return {
    isOwner: role === undefined || role === OWNER,
    may,
    /** For what only the owner and guardians may do. */
    mayAsGuardian: (permission: Permission) => (role === undefined || role <= GUARDIAN) && may(permission),
  };
}

export interface FamilyChild {
  readonly cid: string;
  readonly name: string;
}

/** Returns the children of one family, as far as they are loaded. */
export function useFamilyChildren(familyId: string): FamilyChild[] {
  const session = useSession();
  const { data } = useQuery(childrenQuery(session));
  const details = useQueries({ queries: (data?.childList ?? []).map(({ cid }) => childDetailQuery(session, cid)) });
  return details.flatMap((detail) => (detail.data?.familyId === familyId ? [detail.data] : []));
}
