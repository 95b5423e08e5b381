import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { asyncApiDocument } from '@family-watch/gateway/documents/async-api';
import { PRODUCT_VERSION } from '@family-watch/platform/config/product-version';
import { openApiDocument } from '@family-watch/platform/http/openapi/open-api-document';
import { buildOfflineApp } from '../../src/documents/build-offline-app.js';

const ROOT = join(import.meta.dirname, '../../../..');

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

test('all packages and the images have the version of the product', () => {
  const packages = ['package.json', ...globSync('{apps,packages}/*/package.json', { cwd: ROOT })];
  const versions = packages.map((path) => [path, (JSON.parse(read(path)) as { version: string }).version]);
  expect(versions.length).toBeGreaterThan(10);
  expect(versions).toEqual(packages.map((path) => [path, PRODUCT_VERSION]));
  expect(read('docker/Dockerfile')).toContain(`org.opencontainers.image.version="${PRODUCT_VERSION}"`);
});

test('the changelog has a section of the version', () => {
  expect(read('CHANGELOG.md')).toContain(`\n## ${PRODUCT_VERSION}\n`);
});

test('OpenAPI and AsyncAPI have the version of the product', async () => {
  const app = await buildOfflineApp();
  const documents = [openApiDocument(app), asyncApiDocument() as { info: { version: string } }];
  await app.close();
  expect(documents.map(({ info }) => info.version)).toEqual([PRODUCT_VERSION, PRODUCT_VERSION]);
});
