import type { Schema } from '@family-watch/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Session } from '../../app/session/session-store.js';

export type Fence = Schema<'FenceDto'>;

/** The fences of a child, oldest first. */
export function fencesQuery({ client }: Session, cid: string) {
  return queryOptions({
    queryKey: ['fences', 'list', cid],
    queryFn: ({ signal }) => client.fences.list({ cid }, { signal }),
  });
}

/** What happened at the places of a child in the last 30 days, newest first, page by page. */
export function fenceEventsQuery({ client }: Session, cid: string) {
  return infiniteQueryOptions({
    queryKey: ['fences', 'events', cid],
    queryFn: ({ pageParam, signal }) =>
      client.fences.listEvents({ cid, ...(pageParam === null ? {} : { cursor: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}
