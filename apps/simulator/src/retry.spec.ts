import { describe, expect, jest, test } from '@jest/globals';
import { ApiError, NetworkError } from '@family-watch/client';
import { pollUntil, retryUntilAvailable, withTimeout } from './retry.js';

describe('retryUntilAvailable', () => {
  test('retries while the server is unreachable, and throws the error of an error response without a retry', async () => {
    const work = jest.fn<() => Promise<string>>();
    work.mockRejectedValueOnce(new NetworkError('away')).mockResolvedValueOnce('done');
    await expect(retryUntilAvailable(work)).resolves.toBe('done');
    const refusal = new ApiError({ status: 400, code: 400001, reason: 'VALIDATION_FAILED', message: 'broken' });
    work.mockRejectedValueOnce(refusal);
    await expect(retryUntilAvailable(work)).rejects.toBe(refusal);
    expect(work).toHaveBeenCalledTimes(3);
  });

  test('throws the last error when the server remains unreachable until the timeout', async () => {
    const away = new NetworkError('away');
    await expect(retryUntilAvailable(() => Promise.reject(away), 0)).rejects.toBe(away);
  });
});

describe('pollUntil', () => {
  test('polls until there is a result and throws after the timeout', async () => {
    const answers = [undefined, undefined, 'there'];
    await expect(pollUntil('it', () => answers.shift())).resolves.toBe('there');
    await expect(pollUntil('it', () => undefined, 10)).rejects.toThrow('waited 0 s for it');
  });

  test('starts the timeout when the given promise is settled', async () => {
    const startTime = Date.now();
    const after = new Promise((_, reject) => setTimeout(reject, 50));
    await expect(pollUntil('it', () => undefined, 10, after)).rejects.toThrow('waited 0 s for it');
    expect(Date.now() - startTime).toBeGreaterThanOrEqual(59);
  });
});

describe('withTimeout', () => {
  test('returns a result before the timeout, and throws an error that names the missing result after it', async () => {
    await expect(withTimeout('it', Promise.resolve('there'))).resolves.toBe('there');
    await expect(withTimeout('it', new Promise(() => undefined), 10)).rejects.toThrow('waited 0 s for it');
    await expect(withTimeout('it', Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });
});
