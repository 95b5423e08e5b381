import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ROOT, runCheck, writeSourceFile } from '../support/generated-workspace.js';

const SOURCE = 'apps/userctx/src/locations';
const DATABASE = 'apps/userctx/src/database';
const TEST = 'apps/userctx/test';

/** Each entry names a rule of the plugin, a file and its text, which violates the rule. */
const VIOLATIONS: [rule: string, file: string, text: string][] = [
  ['constant-log-message', `${SOURCE}/log.ts`, 'logger.info(`child ${cid}`);'],
  ['constant-log-message', `${SOURCE}/log-of-class.ts`, "this.logger.info('child ' + cid);"],
  [
    'declared-deployments',
    `${TEST}/each.spec.ts`,
    "describe.each(['standalone', 'distributed'])('%s', () => undefined);",
  ],
  ['declared-needs', `${TEST}/skip.spec.ts`, "test.skip('fences', () => undefined);"],
  ['declared-needs', `${TEST}/value.spec.ts`, 'export const describeFences = hasNginx ? describe : describe.skip;'],
  ['declared-needs', `${TEST}/program.spec.ts`, "export const program = '/usr/sbin/nginx';"],
  [
    'fast-suite-without-needs',
    `${TEST}/fast.spec.ts`,
    "import { needs } from '@family-watch/testing/requirements/needs';\nneeds('nginx');",
  ],
  ['file-extension-of-import', `${SOURCE}/extension.ts`, "import './fence';"],
  ['no-barrel-file', `${SOURCE}/index.ts`, "export * from './fence.js';"],
  ['no-build-output-import', `${SOURCE}/output.ts`, "import '@family-watch/platform/dist/process/clock.js';"],
  ['no-focused-test', `${TEST}/only.spec.ts`, "test.only('fences', () => undefined);"],
  ['no-focused-test', `${TEST}/disabled.spec.ts`, "xit('fences', () => undefined);"],
  ['no-forward-ref', `${SOURCE}/cycle.ts`, 'forwardRef(() => FenceService);'],
  ['no-raw-statement', `${SOURCE}/template.ts`, 'export const text = `\n  SELECT * FROM fence`;'],
  ['no-raw-statement', `${SOURCE}/literal.ts`, "export const text = 'DELETE FROM fence';"],
  ['no-raw-statement', `${SOURCE}/fence.service.ts`, 'export const text = `WITH due AS (SELECT) SELECT FROM due`;'],
  ['no-short-statement-file', `${SOURCE}/short.sql.ts`, `export const text = 'SELECT 1';${'\n'.repeat(99)}`],
  ['node-prefix-of-import', `${SOURCE}/node.ts`, "import 'fs';"],
  ['type-only-import', `${SOURCE}/type.ts`, "import { A } from './a.js';\nexport const a = (b: A) => [b];"],
];

/** Files that a rule permits although they look like a violation. */
const PERMITTED: [file: string, text: string][] = [
  [`${SOURCE}/fence.repository.ts`, 'const text = `SELECT * FROM fence`;\nexport const rows = [text];'],
  [`${SOURCE}/fence.sql.ts`, `export const text = 'SELECT * FROM fence';${'\n'.repeat(100)}`],
  [`${DATABASE}/restore.sql.ts`, "export const text = 'DELETE FROM fence';"],
  [`${TEST}/nginx.slow.spec.ts`, "import { needs } from '@family-watch/testing/requirements/needs';\nneeds('nginx');"],
  [`${SOURCE}/fence.dto.ts`, "import { A } from './a.js';\nclass B {\n  @Field() a: A;\n}\nexport default [B];"],
  [`${SOURCE}/inline.ts`, "import { type A, b } from './a.js';\nexport const c = (d: A) => [b, d];"],
];

describe("the project's own lint rules", () => {
  const directory = mkdtempSync(join(tmpdir(), 'lint-rules-'));
  const found: { rule: string; file: string }[] = [];

  beforeAll(async () => {
    for (const path of ['.oxlintrc.json', '.ci/lint-rules.mjs', 'tsconfig.json', 'tsconfig.base.json'])
      cpSync(join(ROOT, path), join(directory, path));
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
    for (const [, path, text] of VIOLATIONS) writeSourceFile(directory, path, text);
    for (const [path, text] of PERMITTED) writeSourceFile(directory, path, text);
    const output = await runCheck(directory, 'oxlint/bin/oxlint', '--format', 'json', 'apps');
    const { diagnostics } = output as { diagnostics: { code: string; filename: string }[] };
    for (const { code, filename } of diagnostics) {
      const rule = /^family-watch\((.*)\)$/.exec(code)?.[1];
      if (rule !== undefined) found.push({ rule, file: filename });
    }
  });

  afterAll(() => rmSync(directory, { recursive: true }));

  test.each(VIOLATIONS)('%s: %s', (rule, file) => {
    expect(found).toContainEqual({ rule, file });
  });

  test.each(PERMITTED)('permit %s', (permitted) => {
    expect(found.filter(({ file }) => file === permitted)).toEqual([]);
  });

  test('have a case each', async () => {
    const { default: plugin } = (await import(join(ROOT, '.ci/lint-rules.mjs'))) as { default: { rules: object } };
    const rules = new Set(VIOLATIONS.map(([rule]) => rule));
    expect([...rules]).toEqual(Object.keys(plugin.rules).toSorted());
  });
});
