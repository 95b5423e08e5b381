import type { Schema } from '@family-watch/client';
import { queryOptions } from '@tanstack/react-query';
import { pagedQuery } from '../../../core/paged-query.js';
import type { Session } from '../../../core/session/session-store.js';

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
  return pagedQuery(['fences', 'events', cid], (page, options) => client.fences.listEvents({ cid, ...page }, options));
}
