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
import { findEventHandlers } from '@family-watch/platform/jobs/on-event.decorator';
import { openApiDocument } from '@family-watch/platform/http/openapi/open-api-document';
import { createTestDatabase } from '@family-watch/testing/database/test-database';
import { withClient } from '@family-watch/testing/database/test-server';
import type { Schema } from '@family-watch/testing/documents/schema';
import { userctxDatabase } from '@family-watch/userctx/database/userctx-database';
import { buildOfflineApp } from '../../src/documents/build-offline-app.js';
import { EARLIER_BACKUPS } from '../support/earlier-backups.js';
import type { OpenApiDocument } from '../support/invalid-fields.js';

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
  /** The limits of the fields of requests by class, and of query parameters by operation. */
  readonly limits: Record<string, string>;
}

/** Keywords of JSON Schema that limit a value. */
const LIMITS = [
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'enum',
  'minItems',
  'maxItems',
  'uniqueItems',
] as const;

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

test('fields of requests keep their limits', async () => {
  const app = await buildOfflineApp();
  const { paths, components } = JSON.parse(JSON.stringify(openApiDocument(app))) as OpenApiDocument;
  await app.close();
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const limits = new Map<string, string>();
  /** Adds the classes that the schema contains, and returns the limits of the schema itself. */
  const visit = ({ $ref = '', allOf = [], items, properties, ...schema }: Schema): string => {
    const name = $ref.replace(/^.*\//, '');
    if (name !== '' && !limits.has(name)) {
      limits.set(name, '');
      limits.set(name, visit(components.schemas[name] ?? {}));
    }
    const own = LIMITS.filter((keyword) => keyword in schema).map((keyword) => `${keyword} ${String(schema[keyword])}`);
    const ofItems = items ? visit(items) : '';
    const ofFields = Object.entries(properties ?? {}).flatMap(([field, property]) => {
      const ofField = visit(property);
      return ofField === '' ? [] : `${field}: ${ofField}`;
    });
    const all = [...own, ...(ofItems === '' ? [] : [`each ${ofItems}`]), ...allOf.map(visit)];
    return [all.filter(Boolean).join(', '), ...ofFields].filter(Boolean).join('; ');
  };
  for (const { operationId, parameters = [], requestBody } of operations) {
    const ofParameters = parameters.flatMap(({ name, schema }) => {
      const ofParameter = visit(schema);
      return ofParameter === '' ? [] : `${name}: ${ofParameter}`;
    });
    if (ofParameters.length > 0) limits.set(operationId, ofParameters.join('; '));
    for (const { schema } of Object.values(requestBody?.content ?? {})) visit(schema);
  }
  const found = [...limits].filter(([, text]) => text !== '').sort(([one], [other]) => (one < other ? -1 : 1));
  expect(Object.fromEntries(found)).toEqual(stableNames.limits);
});

/**
 * The tables of an earlier build: those of a backup that it has written, which each later build restores. The archive is
 * a sequence of headers of 512 bytes, with name and octal size, and files.
 */
function tablesOfEarlierBuild(): { schema: string; table: string; columns: string[] }[] {
  const archive = gunzipSync(readFileSync(EARLIER_BACKUPS));
  const header = archive.indexOf('plain/2026-11-30T01-51-03-828Z/manifest.json.gz\0');
  const size = Number.parseInt(archive.toString('latin1', header + 124, header + 135), 8);
  const manifest = gunzipSync(archive.subarray(header + 512, header + 512 + size));
  const { content } = JSON.parse(manifest.toString()) as { content: string };
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
