import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { retryWhileUnavailable } from './lazy-page.js';

describe('the code of a page that cannot be loaded', () => {
  let importPage: jest.Mock<() => Promise<string>>;

  beforeEach(() => {
    jest.useFakeTimers();
    importPage = jest.fn<() => Promise<string>>().mockRejectedValueOnce(new TypeError('Failed to fetch'));
    importPage.mockResolvedValue('the page');
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  test.each([
    ['there is no connection', () => Promise.reject(new TypeError('Failed to fetch'))],
    ['the service rejects requests', () => Promise.resolve(new Response(null, { status: 429 }))],
  ])('is loaded later if %s', async (_, respond) => {
    jest.spyOn(globalThis, 'fetch').mockImplementation(respond);
    const page = retryWhileUnavailable(importPage);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(await page).toBe('the page');
  });

  test('makes the router reload the page if the service is available', async () => {
    jest.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(new Response()));
    await expect(retryWhileUnavailable(importPage)).rejects.toThrow('Failed to fetch');
    expect(importPage).toHaveBeenCalledTimes(1);
  });
});
