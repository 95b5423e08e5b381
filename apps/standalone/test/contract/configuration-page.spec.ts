import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { getMetadataStorage } from 'class-validator';
import { Environment } from '@family-watch/platform/config/environment';
import { groupOf } from '@family-watch/platform/config/variables/set-by.decorator';
import { configurationPage } from '@family-watch/testing/documents/configuration-page';

const ROOT = join(import.meta.dirname, '../../../..');
const PAGE = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');

test('docs/configuration.md is what npm run generate -- configuration writes', async () => {
  expect(await configurationPage(ROOT)).toBe(PAGE);
});

test('docs/configuration.md describes every environment variable', () => {
  const rows = PAGE.split('\n').filter((line) => line.startsWith('| `'));
  expect(rows.length).toBeGreaterThan(100);
  for (const line of rows) {
    const [, variable, type, , meaning] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    expect([variable, type !== '', meaning !== '']).toEqual([variable, true, true]);
  }
  const withDefault = Object.entries(new Environment()).filter(([, value]) => value !== undefined);
  for (const [name] of withDefault) expect(PAGE).toContain(`| \`${name}\` `);
});

test('every environment variable declares who sets it', () => {
  const rules = getMetadataStorage().getTargetValidationMetadatas(Environment, '', false, false);
  const names = new Set(rules.map(({ propertyName }) => propertyName));
  expect([...names].filter((name) => groupOf(name) === undefined)).toEqual([]);
});
