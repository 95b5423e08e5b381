import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { waitFor, waitUntil, waitUntilFound } from './wait-for.js';

const SHORT_LIMIT_MS = 50;

afterEach(() => {
  jest.restoreAllMocks();
});

describe('waitFor', () => {
  test('repeats a check until it does not throw and returns its result', async () => {
    let tries = 0;
    const check = () => {
      tries += 1;
      if (tries < 3) throw new Error('not yet');
      return tries;
    };
    expect(await waitFor(check)).toBe(3);
  });

  test('waits for a check that returns a promise, and accepts a check without a result', async () => {
    const check = jest.fn<() => Promise<void>>().mockRejectedValueOnce(new Error('not yet')).mockResolvedValue();
    await waitFor(check);
    expect(check).toHaveBeenCalledTimes(2);
  });

  test('throws the last error of the check when the time limit has passed', async () => {
    let tries = 0;
    const waiting = waitFor(() => {
      throw new Error(`try ${(tries += 1)}`);
    }, SHORT_LIMIT_MS);
    await expect(waiting).rejects.toThrow(/^try/);
    expect(tries).toBeGreaterThan(1);
    await expect(waiting).rejects.toThrow(`try ${tries}`);
  });

  test('ends after the time limit although Date is mocked', async () => {
    jest.spyOn(Date, 'now').mockReturnValue(0);
    const waiting = waitFor(() => Promise.reject(new Error('never')), SHORT_LIMIT_MS);
    await expect(waiting).rejects.toThrow('never');
  });
});

describe('waitUntil', () => {
  test.each([
    ['synchronously', (value: boolean) => value],
    ['by a promise', (value: boolean) => Promise.resolve(value)],
  ])('ends when the condition returns true %s', async (_, toResult) => {
    let tries = 0;
    await waitUntil('the third try', () => toResult((tries += 1) === 3));
    expect(tries).toBe(3);
  });

  test('throws an error that names the awaited condition and its last state when the time limit has passed', async () => {
    await expect(waitUntil('the impossible', () => false, SHORT_LIMIT_MS)).rejects.toThrow(
      'Waited 0.05 s for the impossible',
    );
    let tries = 0;
    const condition = () => (tries += 1) < 0;
    await expect(waitUntil(() => `more than ${tries} tries`, condition, SHORT_LIMIT_MS)).rejects.toThrow(
      /for more than [2-9]\d* tries$/,
    );
  });

  test('accepts the twentieth result of a slow condition although the time limit has passed', async () => {
    let tries = 0;
    const condition = async () => {
      await sleep(SHORT_LIMIT_MS / 10);
      return (tries += 1) === 20;
    };
    await waitUntil('the twentieth try', condition, SHORT_LIMIT_MS);
    expect(tries).toBe(20);
  });

  test('rejects immediately with the error of the condition', async () => {
    const condition = jest.fn(() => Promise.reject(new Error('the process has ended')));
    await expect(waitUntil('its response', condition)).rejects.toThrow('the process has ended');
    expect(condition).toHaveBeenCalledTimes(1);
  });
});

describe('waitUntilFound', () => {
  test.each([[false], [null], [0], ['']])('returns %j, because only undefined means not found', async (found) => {
    const values = [undefined, undefined, found];
    expect(await waitUntilFound('it', () => values.shift())).toBe(found);
    expect(values).toEqual([]);
  });

  test('throws an error that names the missing value when the time limit has passed', async () => {
    await expect(waitUntilFound('a needle', () => undefined, SHORT_LIMIT_MS)).rejects.toThrow(
      'Waited 0.05 s for a needle',
    );
  });

  test('rejects immediately with the error of the lookup', async () => {
    const find = jest.fn(() => {
      throw new Error('the process has ended');
    });
    await expect(waitUntilFound('its response', find)).rejects.toThrow('the process has ended');
    expect(find).toHaveBeenCalledTimes(1);
  });
});
