import { expect, test } from '@jest/globals';
import { drawCharts } from './charts.js';
import { atLeast, atMost, mustBeZero } from './result.js';

const figures = {};

test('drawCharts shows each goal that depends on time, and whether it is met', async () => {
  const lines = [atLeast('B1', 'rate', 3, 2), atMost('B2', 'p99', 30, 25, 'ms'), mustBeZero('B2', 'lost', 0)];
  const svg = (await drawCharts([{ bench: 'B1', lines, figures }])).get('goals') ?? '';
  expect(svg).toMatch(/^<svg /);
  for (const text of ['B1 rate', 'B2 p99', 'goal met', 'goal missed']) expect(svg).toContain(`>${text}<`);
  expect(svg).not.toContain('lost');
});

test('drawCharts shows the costs of operations at several sizes as lines', async () => {
  const points = [
    { size: 1_000, ratio: 1 },
    { size: 10_000, ratio: 1.1 },
  ];
  const charts = await drawCharts([{ bench: 'growth', lines: [], figures, curves: [{ name: 'a list', points }] }]);
  expect([...charts.keys()]).toEqual(['growth']);
  expect(charts.get('growth')).toContain('>a list<');
});

test('drawCharts shows nothing without goals', async () => {
  expect((await drawCharts([{ bench: 'kill', lines: [mustBeZero('kill', 'lost', 0)], figures }])).size).toBe(0);
});
