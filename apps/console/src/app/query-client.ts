import { ApiError, isRetryable } from '@family-watch/client';
import { QueryClient } from '@tanstack/react-query';

const MAX_RETRIES = 3;

/** Server state of the page. Messages of the socket mark queries as stale (`live-updates.ts`), so that nothing polls. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
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
