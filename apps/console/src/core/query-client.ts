import { ApiError, isRetryable } from '@family-watch/client';
import { QueryCache, QueryClient, type Query } from '@tanstack/react-query';

const MAX_RETRIES = 3;

/** What the person may not see any more, or what is gone, must not stay on the page as data that is only old. */
function dropRefusedData(error: Error, query: Query<unknown, unknown, unknown>): void {
  const isRefused = error instanceof ApiError && (error.status === 403 || error.status === 404);
  if (isRefused && query.state.data !== undefined) query.setState({ data: undefined });
}

/** Server state of the page. Messages of the socket mark queries as stale (`live-updates.ts`), so that nothing polls. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: dropRefusedData }),
    defaultOptions: {
      queries: {
        staleTime: 60_000,
        // A request without a connection fails and says so, instead of waiting unseen for the connection.
        networkMode: 'always',
        refetchOnReconnect: true,
        retry: (count, error) => count < MAX_RETRIES && isRetryable(error),
        retryDelay: (count, error) =>
          error instanceof ApiError && error.retryAfter !== undefined ? error.retryAfter * 1_000 : 500 * 2 ** count,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
