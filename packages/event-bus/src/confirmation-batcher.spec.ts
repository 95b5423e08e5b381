import { describe, expect, test } from '@jest/globals';
import { ConfirmationBatcher } from './confirmation-batcher.js';

describe('ConfirmationBatcher', () => {
  test('commits all confirmations that arrive during a commit in one further commit', async () => {
    const commits: [string[], number][] = [];
    const first = Promise.withResolvers<void>();
    const confirmations = new ConfirmationBatcher(async (positions, sequence) => {
      commits.push([positions, sequence]);
      if (commits.length === 1) await first.promise;
    });
    const earlier = confirmations.add(['1'], 5);
    await Promise.resolve();
    const later = [confirmations.add(['2', '3'], 9), confirmations.add(['4'], null), confirmations.add(['5'], 7)];
    first.resolve();
    await Promise.all([earlier, ...later]);
    expect(commits).toEqual([
      [['1'], 5],
      [['2', '3', '4', '5'], 9],
    ]);
  });

  test('rejects only the confirmations of a failed commit', async () => {
    let isFailing = true;
    const confirmations = new ConfirmationBatcher(async () => {
      if (isFailing) throw new Error('no database');
    });
    const first = [confirmations.add(['1'], 1), confirmations.add(['2'], 2)];
    const outcomes = await Promise.allSettled(first);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
    isFailing = false;
    await expect(confirmations.add(['3'], 3)).resolves.toBeUndefined();
  });
});
