import { ApiError, type Schema } from '@family-watch/client';
import { queryOptions } from '@tanstack/react-query';
import type { Session } from '../../../core/session/session-store.js';

/** Interval of the requests while messages do not arrive. */
const DISCONNECTED_INTERVAL_MS = 15_000;
/** The largest page of the service. */
const NEWEST_SOS = 200;

/** One of the newest SOS of a child, also a resolved one; null if it is not among them. */
export function sosQuery({ client }: Session, cid: string, sosId: string) {
  return queryOptions({
    queryKey: ['sos', 'one', cid, sosId],
    queryFn: async ({ signal }): Promise<Schema<'SosDto'> | null> => {
      const { items } = await client.sos.list({ cid, limit: NEWEST_SOS }, { signal });
      return items.find((sos) => sos.sosId === sosId) ?? null;
    },
  });
}

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
