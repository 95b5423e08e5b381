import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';

/** The links that lead from one list to another. */
export function PersonLink({ userId }: { userId: string }) {
  return (
    <Anchor inherit renderRoot={(props) => <Link {...props} to="/operator/people/$userId" params={{ userId }} />}>
      {userId}
    </Anchor>
  );
}

export function FamilyLink({ familyId }: { familyId: string }) {
  return (
    <Anchor inherit renderRoot={(props) => <Link {...props} to="/operator/families/$familyId" params={{ familyId }} />}>
      {familyId}
    </Anchor>
  );
}

export function WatchLink({ did }: { did: number }) {
  return (
    <Anchor
      inherit
      renderRoot={(props) => <Link {...props} to="/operator/watches/$did" params={{ did: String(did) }} />}
    >
      {did}
    </Anchor>
  );
}
