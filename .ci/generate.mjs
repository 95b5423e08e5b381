/*
 * Writes the generated files of the repository: `npm run generate` all of them, `npm run generate -- configuration` one
 * group. `npm run generate -- documents DIRECTORY` writes the API documents, with `--page` the pages of `/docs` too.
 */
import { spawnSync } from 'node:child_process';
import { build } from './build.mjs';

const DOCUMENTS = ['standalone', 'apps/standalone/dist/documents/write-documents.js'];
const inTesting = (program) => ['testing', `packages/testing/dist/documents/${program}.js`];

/** The programs of each group with their arguments, in this order. */
const GROUPS = {
  client: [
    [...DOCUMENTS, '.data/documents'],
    [...inTesting('write-client-sources'), '.data/documents/openapi.json'],
  ],
  configuration: [inTesting('write-configuration-page')],
  'nats-permissions': [inTesting('write-nats-permissions')],
};

const [name, ...args] = process.argv.slice(2);
const groups = { ...GROUPS, documents: [[...DOCUMENTS, ...args]] };
if (name !== undefined && groups[name] === undefined) {
  process.stderr.write(`npm run generate [-- ${Object.keys(groups).join(' | ')}]\n`);
  process.exit(2);
}
const programs = name === undefined ? Object.values(GROUPS).flat() : groups[name];
await build([...new Set(programs.map(([app]) => app))]);
for (const [, program, ...given] of programs) {
  const { status } = spawnSync(process.execPath, [program, ...given], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
