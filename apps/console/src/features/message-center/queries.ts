import type { Schema } from '@family-watch/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Session } from '../../app/session/session-store.js';

export type CenterMessage = Schema<'CenterMessageDto'>;

/** The messages, newest first, page by page. */
export function centerMessagesQuery({ client }: Session) {
  return infiniteQueryOptions({
    queryKey: ['message-center', 'list'],
    queryFn: ({ pageParam, signal }) =>
      client.messageCenter.list(pageParam === null ? {} : { cursor: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** The number of unread messages. */
export function unreadQuery({ client }: Session) {
  return queryOptions({
    queryKey: ['message-center', 'unread'],
    queryFn: async ({ signal }) => (await client.messageCenter.list({ limit: 1 }, { signal })).unread,
  });
}

export function familiesQuery({ client }: Session) {
  return queryOptions({
    queryKey: ['families', 'names'],
    queryFn: ({ signal }) => client.families.list(undefined, { signal }),
  });
}

export function familyMembersQuery({ client }: Session, familyId: string) {
  return queryOptions({
    queryKey: ['families', 'names', familyId],
    queryFn: ({ signal }) => client.families.listMembers({ familyId }, { signal }),
  });
}

export function fencesQuery({ client }: Session, cid: string) {
  return queryOptions({
    queryKey: ['fences', 'names', cid],
    queryFn: ({ signal }) => client.fences.list({ cid }, { signal }),
  });
}
