import { describe, expect, test } from '@jest/globals';
import { ConfirmationBatcher } from './confirmation-batcher.js';

describe('Confirmations', () => {
  test('commit together what arrives while others are committed', async () => {
    const commits: [string[], number][] = [];
    const first = Promise.withResolvers<void>();
    const confirmations = new ConfirmationBatcher(async (positions, sequence) => {
      commits.push([positions, sequence]);
      if (commits.length === 1) await first.promise;
    });
    const one = confirmations.add(['1'], 5);
    await Promise.resolve();
    const others = [confirmations.add(['2', '3'], 9), confirmations.add(['4'], null), confirmations.add(['5'], 7)];
    first.resolve();
    await Promise.all([one, ...others]);
    expect(commits).toEqual([
      [['1'], 5],
      [['2', '3', '4', '5'], 9],
    ]);
  });

  test('a failed commit fails its own confirmations only', async () => {
    let failing = true;
    const confirmations = new ConfirmationBatcher(async () => {
      if (failing) throw new Error('no database');
    });
    const first = [confirmations.add(['1'], 1), confirmations.add(['2'], 2)];
    const outcomes = await Promise.allSettled(first);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
    failing = false;
    await expect(confirmations.add(['3'], 3)).resolves.toBeUndefined();
  });
});
