import { expect, test } from '@jest/globals';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { RoundPacer } from './round-pacer.js';

const INTERVAL_MS = 40;

test('rounds that follow one another start at intervals', async () => {
  const pacer = new RoundPacer(INTERVAL_MS);
  const starts: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    await pacer.waitForTurn();
    starts.push(performance.now());
  }
  const pauses = starts.slice(1).map((start, index) => start - (starts[index] as number));
  // A timer may fire up to a millisecond early.
  for (const pause of pauses) expect(pause).toBeGreaterThan(INTERVAL_MS - 2);
});

test('the first round and a round after a pause start at once', async () => {
  const pacer = new RoundPacer(INTERVAL_MS);
  for (let round = 0; round < 2; round += 1) {
    const turn = pacer.waitForTurn().then(() => 'started');
    expect(await Promise.race([turn, setImmediate('waiting')])).toBe('started');
    await sleep(INTERVAL_MS + 1);
  }
});
