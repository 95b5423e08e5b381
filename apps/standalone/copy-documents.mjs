import { copyFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/*
 * Copies the files of /docs that are not code. Redoc comes with the linter of the OpenAPI document, which is not
 * installed in the containers.
 */
const redocly = dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json'));
const assets = join(import.meta.dirname, 'dist/documents/assets');

mkdirSync(assets, { recursive: true });
copyFileSync(join(redocly, 'lib/chunks/redoc.standalone.js'), join(assets, 'redoc.standalone.js'));
copyFileSync(join(redocly, 'LICENSE'), join(assets, 'redoc.LICENSE.txt'));
copyFileSync(join(import.meta.dirname, '../../docs/guide.md'), join(assets, 'guide.md'));
copyFileSync(join(import.meta.dirname, '../../LICENSE'), join(assets, 'LICENSE.txt'));
