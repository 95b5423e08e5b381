import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';

interface PlantedFault {
  name: string;
  area: string;
  file: string;
  originalText: string;
  faultyText: string;
  suites: string[];
}

const ROOT = resolve(import.meta.dirname, '../../../..');
const FAULTS_FILE = join(ROOT, 'packages/testing/faults/planted-faults.mjs');
const AREAS = [
  'access rules',
  'geofences',
  'delivery order',
  'quota',
  'recycle bin',
  'revocation',
  'outbox order',
  'idempotency',
  'limits and outages',
  'school time',
  'signed links',
  'firmware',
];
const SOURCE_FILE = /^(apps\/[^/]+|packages\/(domain|event-bus|platform))\/src\/.+(?<!\.spec)\.ts$/;

describe('PLANTED_FAULTS', () => {
  let faults: readonly PlantedFault[];

  beforeAll(async () => {
    ({ PLANTED_FAULTS: faults } = (await import(FAULTS_FILE)) as { PLANTED_FAULTS: readonly PlantedFault[] });
  });

  test('contains at least forty faults and at least three per area', () => {
    expect(faults.length).toBeGreaterThanOrEqual(40);
    const counts = Map.groupBy(faults, ({ area }) => area);
    expect([...counts.keys()].toSorted()).toEqual(AREAS.toSorted());
    for (const area of AREAS) expect([area, (counts.get(area)?.length ?? 0) >= 3]).toEqual([area, true]);
    expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
  });

  test('contains for each fault a text that occurs exactly once in a source file, and a different replacement', () => {
    for (const { name, file, originalText, faultyText } of faults) {
      expect(file).toMatch(SOURCE_FILE);
      const text = readFileSync(join(ROOT, file), 'utf8');
      expect([name, text.split(originalText).length - 1]).toEqual([name, 1]);
      expect(faultyText).not.toBe(originalText);
    }
  });

  test('contains one or two existing suites for each fault', () => {
    for (const { name, suites } of faults) {
      const missing = suites.filter((suite) => !suite.endsWith('.spec.ts') || !existsSync(join(ROOT, suite)));
      expect([name, suites.length > 0 && suites.length <= 2, missing]).toEqual([name, true, []]);
    }
  });
});
