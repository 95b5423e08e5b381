import { describe, expect, test } from '@jest/globals';
import { ApiError, NetworkError } from '@family-watch/client';
import type { QueryClient } from '@tanstack/react-query';
import { createQueryClient } from './query-client.js';

const KEY = ['children', 'list'];

/** Loads data, then renews it with this error, and returns what the page shows. */
async function dataAfter(error: Error): Promise<unknown> {
  const queries: QueryClient = createQueryClient();
  queries.setQueryData(KEY, 'location');
  await queries
    .query({ queryKey: KEY, queryFn: () => Promise.reject(error), retry: false, staleTime: 0 })
    .catch(() => undefined);
  expect(queries.getQueryState(KEY)?.error).toBe(error);
  const data = queries.getQueryData(KEY);
  queries.clear();
  return data;
}

const apiError = (status: number) => new ApiError({ status, code: 0, reason: 'UNKNOWN', message: '' });

describe('createQueryClient', () => {
  test.each([403, 404])('drops data that the service refuses with %d', async (status) => {
    expect(await dataAfter(apiError(status))).toBeUndefined();
  });

  test.each([
    ['the service fails', apiError(503)],
    ['there is no connection', new NetworkError('127.0.0.1 cannot be reached')],
  ])('keeps data while %s', async (_, error) => {
    expect(await dataAfter(error)).toBe('location');
  });
});
