import 'reflect-metadata';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { asyncApiDocument } from '@family-watch/gateway/documents/async-api';
import { openApiDocument } from '@family-watch/platform/http/openapi/open-api-document';
import { exitProcess } from '@family-watch/platform/app/exit-process';
import { buildOfflineApp } from './build-offline-app.js';
import { documentPages } from './document-pages.js';

/**
 * Writes openapi.json and asyncapi.json to a directory; the types of `packages/client` are generated from them. With
 * `--page`, also writes the pages of `/docs`: nginx serves the directory as static files.
 */
const directory = resolve(process.argv[2] ?? 'documents');
mkdirSync(directory, { recursive: true });
const app = await buildOfflineApp();
const documents = { 'openapi.json': openApiDocument(app), 'asyncapi.json': asyncApiDocument() };
for (const [name, document] of Object.entries(documents)) {
  writeFileSync(join(directory, name), `${JSON.stringify(document, null, 2)}\n`);
}
if (process.argv.includes('--page'))
  for (const [name, content] of documentPages()) writeFileSync(join(directory, name), content);
await exitProcess(0);
