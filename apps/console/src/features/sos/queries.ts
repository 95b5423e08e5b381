import { ApiError } from '@family-watch/client';
import type { Schema } from '@family-watch/client';
import { queryOptions } from '@tanstack/react-query';
import type { Session } from '../../app/session/session-store.js';

/** Interval of the requests while messages do not arrive. */
const DISCONNECTED_INTERVAL_MS = 15_000;

/** The unresolved SOS of a child, of which there is at most one; null if there is none. */
export function openSosQuery({ client }: Session, cid: string, isConnected: boolean) {
  return queryOptions({
    queryKey: ['sos', 'open', cid],
    queryFn: async ({ signal }): Promise<Schema<'SosDto'> | null> => {
      try {
        const { items } = await client.sos.list({ cid, limit: 1 }, { signal });
        return items.find(({ state }) => state !== 'RESOLVED') ?? null;
      } catch (error) {
        // A member without the permission for alerts has no SOS to see.
        if (error instanceof ApiError && error.status === 403) return null;
        throw error;
      }
    },
    refetchInterval: isConnected ? false : DISCONNECTED_INTERVAL_MS,
  });
}

/** What the family knows about the child's phone number, to call it. */
export function childDetailQuery({ client }: Session, cid: string) {
  return queryOptions({
    queryKey: ['children', 'detail', cid],
    queryFn: ({ signal }) => client.children.get({ cid }, { signal }),
  });
}
