import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type * as OpenApiTypeScript from 'openapi-typescript';
import { openApiDocument } from '@family-watch/platform/openapi/open-api-document';
import { buildUnconnected } from '../../src/documents/build-unconnected.js';

const GENERATED = join(import.meta.dirname, '../../../../packages/client/src/generated/openapi.d.ts');

// Its ES module form and the TypeScript that it brings along do not fit together in jest; this form is the same code.
const { astToString, COMMENT_HEADER, default: openapiTS } = createRequire(import.meta.url)(
  'openapi-typescript',
) as typeof OpenApiTypeScript;

it('the types of the SDK are those of the running code; if not: npm run generate:client', async () => {
  const app = await buildUnconnected();
  const document = JSON.parse(JSON.stringify(openApiDocument(app))) as OpenApiTypeScript.OpenAPI3;
  await app.close();
  const wanted = `${COMMENT_HEADER}${astToString(await openapiTS(document))}`;
  expect(readFileSync(GENERATED, 'utf8')).toBe(wanted);
});
