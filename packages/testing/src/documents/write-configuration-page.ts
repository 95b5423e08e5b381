import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationPage } from './configuration-page.js';

const ROOT = join(import.meta.dirname, '../../../..');

writeFileSync(join(ROOT, 'docs/configuration.md'), await configurationPage(ROOT));
