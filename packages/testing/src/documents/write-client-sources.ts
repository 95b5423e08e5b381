import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPI3 } from 'openapi-typescript';
import { clientSources } from './client-sources.js';

/** Writes the generated files of the SDK. Argument: path of the OpenAPI document. */
const document = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as OpenAPI3;
const directory = join(import.meta.dirname, '../../../client/src/generated');
for (const [name, source] of await clientSources(document)) writeFileSync(join(directory, name), source);
