import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
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
import { EARLIER_BACKUPS } from '../support/earlier-backups.js';

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

/** The tables of an earlier build: those of a backup that it has written, which each later build restores. */
function tablesOfEarlierBuild(): { schema: string; table: string; columns: string[] }[] {
  const manifest = execFileSync('tar', ['-xzOf', EARLIER_BACKUPS, 'plain/2026-11-29T06-03-26-717Z/manifest.json.gz']);
  const { content } = JSON.parse(gunzipSync(manifest).toString()) as { content: string };
  return (JSON.parse(content) as { tables: ReturnType<typeof tablesOfEarlierBuild> }).tables;
}

test('the tables of an earlier build keep their names and columns', async () => {
  const database = await createTestDatabase({ template: [userctxDatabase, mcdiskDatabase, gatewayDatabase] });
  const { rows } = await withClient(database.adminUrl, (client) =>
    client.query<{ name: string }>(
      `SELECT concat_ws('.', table_schema, table_name, column_name) AS name FROM information_schema.columns`,
    ),
  );
  await database.drop();
  const names = new Set(rows.map(({ name }) => name));
  const earlier = tablesOfEarlierBuild().flatMap(({ schema, table, columns }) =>
    columns.map((column) => `${schema}.${table}.${column}`),
  );
  expect(earlier.length).toBeGreaterThan(700);
  expect(earlier.filter((name) => !names.has(name))).toEqual([]);
});
