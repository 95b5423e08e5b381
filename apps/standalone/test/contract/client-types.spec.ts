import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import type { OpenAPI3 } from 'openapi-typescript';
import { openApiDocument } from '@family-watch/platform/openapi/open-api-document';
import { buildOfflineApp } from '../../src/documents/build-offline-app.js';

const GENERATED_TYPES_PATH = join(import.meta.dirname, '../../../../packages/client/src/generated/openapi.d.ts');

it('the generated types of the SDK match the OpenAPI document (npm run generate:client updates them)', async () => {
  const app = await buildOfflineApp();
  const document = JSON.parse(JSON.stringify(openApiDocument(app))) as OpenAPI3;
  await app.close();
  const expected = `${COMMENT_HEADER}${astToString(await openapiTS(document))}`;
  expect(readFileSync(GENERATED_TYPES_PATH, 'utf8')).toBe(expected);
});
