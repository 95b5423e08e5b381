import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { OpenAPI3 } from 'openapi-typescript';
import { openApiDocument } from '@family-watch/platform/http/openapi/open-api-document';
import { clientSources } from '@family-watch/testing/documents/client-sources';
import { buildOfflineApp } from '../../src/documents/build-offline-app.js';

const GENERATED = join(import.meta.dirname, '../../../../packages/client/src/generated');

test('the generated files of the SDK match the OpenAPI document (npm run generate -- client updates them)', async () => {
  const app = await buildOfflineApp();
  const document = JSON.parse(JSON.stringify(openApiDocument(app))) as OpenAPI3;
  await app.close();
  for (const [name, source] of await clientSources(document)) {
    expect(readFileSync(join(GENERATED, name), 'utf8')).toBe(source);
  }
});
