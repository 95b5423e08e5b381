import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { DiscoveryService } from '@nestjs/core';
import { getMetadataStorage } from 'class-validator';
import { ERROR_CATALOGUE } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { gatewayDatabase } from '@family-watch/gateway/database/gateway-database';
import { mcdiskDatabase } from '@family-watch/mcdisk/database/mcdisk-database';
import { Environment } from '@family-watch/platform/config/environment';
import { findEventHandlers } from '@family-watch/platform/events/on-event.decorator';
import { createTestDatabase } from '@family-watch/testing/database/test-database';
import { withClient } from '@family-watch/testing/database/test-server';
import { userctxDatabase } from '@family-watch/userctx/database/userctx-database';
import { buildOfflineApp } from '../../src/documents/build-offline-app.js';

const ROOT = join(import.meta.dirname, '../../../..');

/** Names that are stored, sent or configured, and must stay the same when code is renamed. */
interface StableNames {
  /** Error reasons and their codes. */
  readonly errors: Record<string, number>;
  /** Values of `details[].rule` in validation errors. */
  readonly rules: string[];
  readonly environmentVariables: string[];
  /** Events on the bus. */
  readonly events: string[];
  /** Inbox names of the handlers, each with the events that it processes. */
  readonly eventHandlers: Record<string, string[]>;
  /** Columns of each table, by name. */
  readonly tables: Record<string, string[]>;
}

const STABLE_NAMES_FILE = join(import.meta.dirname, 'stable-names.json');
const stableNames = JSON.parse(readFileSync(STABLE_NAMES_FILE, 'utf8')) as StableNames;

test('error reasons keep their names and codes', () => {
  const errors = Object.entries(ERROR_CATALOGUE).map(([reason, { code }]) => [reason, code]);
  expect(Object.fromEntries(errors)).toEqual(stableNames.errors);
});

test('validation rules keep their names', async () => {
  // Loads the DTOs of all apps.
  await (await buildOfflineApp()).close();
  const storage = getMetadataStorage() as unknown as { validationMetadatas: Map<unknown, { name?: string }[]> };
  const declared = [...storage.validationMetadatas.values()].flatMap((rules) =>
    rules.flatMap(({ name }) => name ?? []),
  );
  const thrown = globSync(join('{apps,packages}', '*', 'src', '**', '*.ts'), {
    cwd: ROOT,
    exclude: (path) => path.endsWith('.spec.ts'),
  })
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .flatMap((source) => [...source.matchAll(/\brule: '(\w+)'/g)].map(([, rule = '']) => rule));
  expect([...new Set([...declared, ...thrown])].sort()).toEqual(stableNames.rules);
});

test('environment variables keep their names', () => {
  const rules = getMetadataStorage().getTargetValidationMetadatas(Environment, '', false, false);
  expect([...new Set(rules.map(({ propertyName }) => propertyName))].sort()).toEqual(stableNames.environmentVariables);
});

test('events keep their names', () => {
  const sources = globSync(join('packages/domain/src', '**', 'contracts', '*.ts'), { cwd: ROOT });
  const declared = sources.flatMap((path) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(/^ {2}'([a-z]+\.[\w.-]+)':/gm)].map(([, name]) => name),
  );
  expect([...new Set(declared)].sort()).toEqual(stableNames.events);
});

test('event handlers keep their inbox names and the events that they handle', async () => {
  const app = await buildOfflineApp();
  const discovery = app.get(DiscoveryService, { strict: false });
  const handlers = ['userctx', 'gateway', 'mcdisk'].flatMap((name) => findEventHandlers(discovery, name));
  await app.close();
  const named = handlers.map(({ name, event }) => [name, [event].flat().sort()]);
  expect(Object.fromEntries(named)).toEqual(stableNames.eventHandlers);
  expect(handlers.length).toBe(Object.keys(stableNames.eventHandlers).length);
});

test('tables keep their names and columns', async () => {
  const database = await createTestDatabase({ template: [userctxDatabase, mcdiskDatabase, gatewayDatabase] });
  const { rows } = await withClient(database.adminUrl, (client) =>
    client.query<{ name: string; columns: string[] }>(
      `SELECT table_schema || '.' || table_name AS name, array_agg(column_name::text ORDER BY column_name) AS columns
       FROM information_schema.columns WHERE table_schema IN ('userctx', 'mcdisk', 'gateway')
         AND table_name NOT SIMILAR TO 'location\\_point\\_[0-9]%' GROUP BY 1`,
    ),
  );
  await database.drop();
  expect(Object.fromEntries(rows.map(({ name, columns }) => [name, columns]))).toEqual(stableNames.tables);
});
