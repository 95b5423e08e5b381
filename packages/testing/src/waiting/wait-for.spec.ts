import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { waitFor, waitUntil, waitUntilFound } from './wait-for.js';

const SOON_MS = 50;

afterEach(() => {
  jest.restoreAllMocks();
});

describe('waitFor', () => {
  it('repeats a check that throws, and returns its result', async () => {
    let tries = 0;
    const check = () => {
      tries += 1;
      if (tries < 3) throw new Error('not yet');
      return tries;
    };
    expect(await waitFor(check)).toBe(3);
  });

  it('takes a check without a result, and one that rejects', async () => {
    const check = jest.fn<() => Promise<void>>().mockRejectedValueOnce(new Error('not yet')).mockResolvedValue();
    await waitFor(check);
    expect(check).toHaveBeenCalledTimes(2);
  });

  it('throws what the check threw last', async () => {
    let tries = 0;
    const waiting = waitFor(() => {
      throw new Error(`try ${(tries += 1)}`);
    }, SOON_MS);
    await expect(waiting).rejects.toThrow(/^try/);
    expect(tries).toBeGreaterThan(1);
    await expect(waiting).rejects.toThrow(`try ${tries}`);
  });

  it('ends although Date stands still', async () => {
    jest.spyOn(Date, 'now').mockReturnValue(0);
    const waiting = waitFor(() => Promise.reject(new Error('never')), SOON_MS);
    await expect(waiting).rejects.toThrow('never');
  });
});

describe('waitUntil', () => {
  it.each([
    ['at once', (answer: boolean) => answer],
    ['by a promise', (answer: boolean) => Promise.resolve(answer)],
  ])('ends when the condition holds, which is told %s', async (_, told) => {
    let tries = 0;
    await waitUntil('the third try', () => told((tries += 1) === 3));
    expect(tries).toBe(3);
  });

  it('names what it waited for, with its last state', async () => {
    await expect(waitUntil('the impossible', () => false, SOON_MS)).rejects.toThrow('Waited 0.05 s for the impossible');
    let tries = 0;
    const holds = () => (tries += 1) < 0;
    await expect(waitUntil(() => `more than ${tries} tries`, holds, SOON_MS)).rejects.toThrow(
      /for more than [2-9]\d* tries$/,
    );
  });

  it('ends at once with what the condition throws', async () => {
    const holds = jest.fn(() => Promise.reject(new Error('the process has ended')));
    await expect(waitUntil('its answer', holds)).rejects.toThrow('the process has ended');
    expect(holds).toHaveBeenCalledTimes(1);
  });
});

describe('waitUntilFound', () => {
  it.each([[false], [null], [0], ['']])('returns %j, which is something', async (found) => {
    const answers = [undefined, undefined, found];
    expect(await waitUntilFound('it', () => answers.shift())).toBe(found);
    expect(answers).toEqual([]);
  });

  it('names what was not found', async () => {
    await expect(waitUntilFound('a needle', () => undefined, SOON_MS)).rejects.toThrow('Waited 0.05 s for a needle');
  });

  it('ends at once with what is thrown', async () => {
    const look = jest.fn(() => {
      throw new Error('the process has ended');
    });
    await expect(waitUntilFound('its answer', look)).rejects.toThrow('the process has ended');
    expect(look).toHaveBeenCalledTimes(1);
  });
});
