import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { InvalidateQueryFilters } from '@tanstack/react-query';
import { StaleQueries } from './stale-queries.js';

describe('StaleQueries', () => {
  const marked: unknown[] = [];
  let staleQueries: StaleQueries;

  beforeEach(() => {
    jest.useFakeTimers();
    marked.length = 0;
    staleQueries = new StaleQueries({
      invalidateQueries: (filters: InvalidateQueryFilters = {}) => {
        marked.push(filters.queryKey);
        return Promise.resolve();
      },
    });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  test('marks the queries of the first message at once', () => {
    staleQueries.mark([['children'], ['families']]);
    expect(marked).toEqual([['children'], ['families']]);
  });

  test('marks the queries of a hundred messages twice', () => {
    for (let count = 0; count < 100; count += 1) staleQueries.mark([['children']]);
    expect(marked).toEqual([['children']]);
    jest.advanceTimersByTime(1_000);
    expect(marked).toEqual([['children'], ['children']]);
    jest.advanceTimersByTime(10_000);
    expect(marked).toHaveLength(2);
  });

  test('marks again at once after a second without messages', () => {
    staleQueries.mark([['children']]);
    jest.advanceTimersByTime(1_000);
    staleQueries.mark([['children']]);
    expect(marked).toHaveLength(2);
  });

  test('marks nothing after it was stopped', () => {
    staleQueries.mark([['children']]);
    staleQueries.mark([['children']]);
    staleQueries.stop();
    jest.advanceTimersByTime(10_000);
    expect(marked).toHaveLength(1);
  });
});
