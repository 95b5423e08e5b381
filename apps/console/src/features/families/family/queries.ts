import type { Schema } from '@family-watch/client';
import { queryOptions } from '@tanstack/react-query';
import type { Session } from '../../../core/session/session-store.js';

export type JoinRequest = Schema<'ApplicationDto'>;
export type OwnershipClaim = Schema<'ClaimDto'>;
export type DeletedChild = Schema<'DeletedChildDto'>;

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

/** The newest deleted children that the person can restore, also those of a family that the person has dissolved. */
export function deletedChildrenQuery({ client }: Session) {
  return queryOptions({
    queryKey: ['deleted-children'],
    queryFn: ({ signal }) => client.children.listDeleted(undefined, { signal }),
  });
}
