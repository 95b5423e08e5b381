import { jest } from '@jest/globals';

const SPEED = 10;

/** Runs `work` with a clock (`Date.now`) that is fast, so that a request that waits for a family event ends sooner. */
export async function withFastClock<Result>(work: () => Promise<Result>): Promise<Result> {
  const [start, realNow] = [Date.now(), Date.now.bind(Date)];
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => start + (realNow() - start) * SPEED);
  try {
    return await work();
  } finally {
    clock.mockRestore();
  }
}
