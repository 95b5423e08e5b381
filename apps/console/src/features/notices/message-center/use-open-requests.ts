import type { Schema } from '@family-watch/client';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useSession } from '../../../core/session/use-session.js';
import {
  joinRequestsQuery,
  ownershipClaimsQuery,
  type JoinRequest,
  type OwnershipClaim,
} from '../../families/family/queries.js';
import { isPayable, newestOrdersQuery, type Order } from '../../families/payments/queries.js';
import {
  childDetailQuery,
  childrenQuery,
  familiesQuery,
  GUARDIAN,
  OWNER,
  type Family,
} from '../../families/queries.js';
import { waitsForUs, type Friend } from '../../families/watch-settings/friend-decision.js';
import { friendsQuery } from '../../families/watch-settings/queries.js';
import { useOpenSos } from '../sos/use-open-sos.js';

type Child = Schema<'ChildDto'>;

/** An SOS that is not resolved, or a request that waits for a decision of the person. */
export type OpenRequest = { readonly id: string; readonly time: number } & (
  | { readonly type: 'sos'; readonly child: Child; readonly sos: Schema<'SosDto'> }
  | { readonly type: 'join'; readonly family: Family; readonly request: JoinRequest }
  | { readonly type: 'claim'; readonly family: Family; readonly claim: OwnershipClaim }
  | { readonly type: 'order'; readonly family: Family; readonly order: Order }
  | { readonly type: 'friend'; readonly child: Child; readonly did: number; readonly friend: Friend }
);

/** Returns what the person has to deal with, as far as it is loaded: SOS first, then the newest. */
export function useOpenRequests(): OpenRequest[] {
  const requests = [...useJoinRequests(), ...useClaims(), ...useRequestedOrders(), ...useFriendRequests()];
  // `SosWatcher` repeats the requests while the socket is not connected.
  const { open } = useOpenSos(true);
  return [
    ...open.map(({ child, sos }) => ({ type: 'sos' as const, id: sos.sosId, time: sos.lastRaisedAt, child, sos })),
    ...requests.toSorted((a, b) => b.time - a.time),
  ];
}

/** The families in which the person has this role or a higher one. */
function useFamiliesAs(role: Family['role']): Family[] {
  return (useQuery(familiesQuery(useSession())).data?.items ?? []).filter((family) => family.role <= role);
}

function useJoinRequests(): OpenRequest[] {
  const session = useSession();
  const families = useFamiliesAs(OWNER);
  const results = useQueries({ queries: families.map(({ familyId }) => joinRequestsQuery(session, familyId)) });
  return families.flatMap((family, index) =>
    (results[index]?.data?.items ?? [])
      .filter(({ state }) => state === 'PENDING')
      .map((request) => ({ type: 'join', id: request.applicationId, time: request.createTime, family, request })),
  );
}

function useClaims(): OpenRequest[] {
  const session = useSession();
  const families = useFamiliesAs(OWNER);
  const results = useQueries({ queries: families.map(({ familyId }) => ownershipClaimsQuery(session, familyId)) });
  return families.flatMap((family, index) =>
    (results[index]?.data?.items ?? [])
      .filter(({ state }) => state === 'OPEN')
      .map((claim) => ({ type: 'claim', id: claim.claimId, time: claim.createTime, family, claim })),
  );
}

/** The orders of watches that nobody has paid or cancelled. */
function useRequestedOrders(): OpenRequest[] {
  const session = useSession();
  const families = useFamiliesAs(GUARDIAN);
  const results = useQueries({ queries: families.map(({ familyId }) => newestOrdersQuery(session, familyId)) });
  return families.flatMap((family, index) =>
    (results[index]?.data?.items ?? [])
      .filter((order) => isPayable(order) && order.by?.startsWith('watch:'))
      .map((order) => ({ type: 'order', id: order.orderId, time: order.createdAt, family, order })),
  );
}

function useFriendRequests(): OpenRequest[] {
  const session = useSession();
  const families = new Set(useFamiliesAs(GUARDIAN).map(({ familyId }) => familyId));
  const children = useQuery(childrenQuery(session)).data?.childList ?? [];
  const details = useQueries({ queries: children.map(({ cid }) => childDetailQuery(session, cid)) });
  const watches = children.flatMap((child, index) =>
    child.device !== null && families.has(details[index]?.data?.familyId ?? '')
      ? [{ child, did: child.device.did }]
      : [],
  );
  const results = useQueries({ queries: watches.map(({ did }) => friendsQuery(session, did)) });
  return watches.flatMap(({ child, did }, index) =>
    (results[index]?.data?.items ?? [])
      .filter(waitsForUs)
      .map((friend) => ({ type: 'friend', id: friend.applicationId, time: friend.changedAt, child, did, friend })),
  );
}
