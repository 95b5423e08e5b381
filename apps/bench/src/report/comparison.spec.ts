import { describe, expect, test } from '@jest/globals';
import { compareRuns } from './comparison.js';
import type { ResultLine } from './result.js';

const lines = (rate: string, p99: string): ResultLine[] => [
  { bench: 'b1', what: 'messages per second', value: rate },
  { bench: 'b1', what: 'p99', value: p99 },
];

describe('comparison of two builds', () => {
  test('takes the median of the ratios of the pairs, so that a slow moment of the machine affects both builds', () => {
    const pairs = [
      { present: lines('2,000', '10 ms'), other: lines('1,000', '20 ms') },
      { present: lines('300', '90 ms'), other: lines('200', '30 ms') },
      { present: lines('1,100', '20 ms'), other: lines('1,000', '20 ms') },
    ];
    expect(compareRuns(pairs)).toEqual([
      { bench: 'b1', what: 'messages per second', present: 1_100, other: 1_000, ratio: 1.5, range: [1.1, 2] },
      { bench: 'b1', what: 'p99', present: 20, other: 20, ratio: 1, range: [0.5, 3] },
    ]);
  });

  test('omits values that only one build reports or that are not numbers', () => {
    const present = [...lines('1', 'none'), { bench: 'b1', what: 'new', value: '3' }];
    expect(compareRuns([{ present, other: lines('2', '4 ms') }]).map(({ what }) => what)).toEqual([
      'messages per second',
    ]);
  });

  test('halves the sum of the two middle values of an even number of pairs', () => {
    const pairs = [1, 3].map((rate) => ({ present: lines(String(rate), ''), other: lines('1', '') }));
    expect(compareRuns(pairs)).toMatchObject([{ present: 2, ratio: 2 }]);
  });
});
