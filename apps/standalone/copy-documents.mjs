import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/*
 * Copies the files of /docs that are not compiled. Redoc comes with the linter of the OpenAPI document, which is not
 * installed in the containers.
 */
const redocly = dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json'));
const assets = join(import.meta.dirname, 'dist/documents/assets');

mkdirSync(assets, { recursive: true });
// Redoc hides its logo if it cannot load the image. The logo would be the only request to another host.
const redoc = readFileSync(join(redocly, 'lib/chunks/redoc.standalone.js'), 'utf8');
const withoutLogo = redoc.replaceAll(/https:\/\/cdn\.redoc\.ly\/redoc\/logo-[\w-]+\.svg/g, 'data:,');
if (withoutLogo === redoc) throw new Error('The address of the logo of Redoc has changed');
writeFileSync(join(assets, 'redoc.standalone.js'), withoutLogo);
copyFileSync(join(redocly, 'LICENSE'), join(assets, 'redoc.LICENSE.txt'));
copyFileSync(join(import.meta.dirname, '../../docs/guide.md'), join(assets, 'guide.md'));
copyFileSync(join(import.meta.dirname, '../../LICENSE'), join(assets, 'LICENSE.txt'));
