import type { Schema } from '@family-watch/client';
import { queryOptions } from '@tanstack/react-query';
import type { Session } from '../../app/session/session-store.js';

export type Fence = Schema<'FenceDto'>;

/** The fences of a child, oldest first. */
export function fencesQuery({ client }: Session, cid: string) {
  return queryOptions({
    queryKey: ['fences', 'list', cid],
    queryFn: ({ signal }) => client.fences.list({ cid }, { signal }),
  });
}
