import { infiniteQueryOptions } from '@tanstack/react-query';

/** A page of a list of the service; `nextCursor` is null on the last one. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/**
 * A list of the service that is read page by page.
 *
 * @param read - reads a page; `cursor` is absent for the first one
 */
export function pagedQuery<Found extends Page<unknown>>(
  queryKey: readonly unknown[],
  read: (page: { cursor?: string }, options: { signal: AbortSignal }) => Promise<Found>,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam === null ? {} : { cursor: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}
