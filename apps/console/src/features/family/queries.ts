import type { Schema } from '@family-watch/client';
import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import type { Session } from '../../app/session/session-store.js';
import { useSession } from '../../app/session/use-session.js';
import { childDetailQuery, childrenQuery } from '../children/queries.js';

export type Family = Schema<'FamilyDto'>;
export type Member = Schema<'MemberDto'>;
export type JoinRequest = Schema<'ApplicationDto'>;
export type OwnershipClaim = Schema<'ClaimDto'>;
export type DeletedChild = Schema<'DeletedChildDto'>;

export const OWNER = 1;
export const GUARDIAN = 2;
export const CONTACT = 4;

export function profileQuery({ client }: Session) {
  return queryOptions({
    queryKey: ['profile'],
    queryFn: ({ signal }) => client.accounts.getProfile(undefined, { signal }),
  });
}

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

/** The pending invitations of a family, for its owner. */
export function invitationsQuery({ client }: Session, familyId: string) {
  return queryOptions({
    queryKey: ['families', 'invitations', familyId],
    queryFn: ({ signal }) => client.families.listInvitations({ familyId }, { signal }),
  });
}

/** The newest requests to join a family, for its owner; the caller's own requests without a family. */
export function joinRequestsQuery({ client }: Session, familyId?: string) {
  return queryOptions({
    queryKey: ['families', 'join-requests', familyId ?? 'own'],
    queryFn: ({ signal }) => client.families.listApplications({ familyId }, { signal }),
  });
}

/** The newest ownership claims of a family, for its owner and guardians. */
export function ownershipClaimsQuery({ client }: Session, familyId: string) {
  return queryOptions({
    queryKey: ['families', 'claims', familyId],
    queryFn: ({ signal }) => client.families.listOwnershipClaims({ familyId }, { signal }),
  });
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

/** The newest deleted children that the person can restore, also those of a family that the person has dissolved. */
export function deletedChildrenQuery({ client }: Session) {
  return queryOptions({
    queryKey: ['deleted-children'],
    queryFn: ({ signal }) => client.children.listDeleted(undefined, { signal }),
  });
}
