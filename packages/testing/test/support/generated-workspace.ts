import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = resolve(import.meta.dirname, '../../../..');
const WORKSPACES = {
  apps: ['userctx', 'mcdisk', 'gateway', 'standalone', 'simulator', 'console'],
  packages: ['domain', 'event-bus', 'platform', 'client', 'testing'],
};
/** The `exports` field of every workspace's package.json. The generated workspaces contain only sources, no `dist`. */
const SOURCE_EXPORTS = { './*': { 'family-watch-source': './src/*.ts', default: './dist/*.js' } };
const RULES_FILE = '.dependency-cruiser.cjs';

/** An import that violates a rule. */
export interface Violation {
  rule: string;
  from: string;
  to: string;
}

/** Returns the names of all rules of this repository. */
export function ruleNames(): string[] {
  const { forbidden } = createRequire(import.meta.url)(join(ROOT, RULES_FILE)) as { forbidden: { name: string }[] };
  return forbidden.map(({ name }) => name);
}

/**
 * Creates a repository with the import rules of this repository, whose workspaces and npm packages are empty.
 *
 * @param npmPackages - names of the installed npm packages
 */
export function createWorkspace(directory: string, npmPackages: readonly string[]): void {
  for (const file of [RULES_FILE, 'tsconfig.json', 'tsconfig.base.json'])
    cpSync(join(ROOT, file), join(directory, file));
  writeSourceFile(directory, 'package.json', '{ "type": "module", "devDependencies": { "pino-pretty": "*" } }');
  mkdirSync(join(directory, 'node_modules/@family-watch'), { recursive: true });
  for (const [kind, names] of Object.entries(WORKSPACES)) {
    for (const name of names) {
      const manifest = { name: `@family-watch/${name}`, type: 'module', exports: SOURCE_EXPORTS };
      writeSourceFile(directory, `${kind}/${name}/package.json`, JSON.stringify(manifest));
      symlinkSync(join(directory, kind, name), join(directory, 'node_modules/@family-watch', name));
    }
  }
  for (const name of npmPackages) {
    writeSourceFile(directory, `node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' }));
    writeSourceFile(directory, `node_modules/${name}/index.js`, '');
  }
}

/** Writes a file and creates its directories. */
export function writeSourceFile(directory: string, path: string, text: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), text);
}

/** Runs the same command as `npm run check:dependencies` and returns the violations. */
export async function checkDependencies(directory: string): Promise<Violation[]> {
  const program = 'dependency-cruiser/bin/dependency-cruise.mjs';
  const output = await runCheck(
    directory,
    program,
    '--config',
    RULES_FILE,
    '--output-type',
    'json',
    'apps',
    'packages',
  );
  const { summary } = output as { summary: { violations: { rule: { name: string }; from: string; to: string }[] } };
  return summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to }));
}

/**
 * Runs a program of this repository's npm packages in a directory and returns its output, which must be JSON. The
 * program may fail, as a check does that has found a violation.
 */
export async function runCheck(directory: string, program: string, ...args: string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(ROOT, 'node_modules', program), ...args], {
    cwd: directory,
    maxBuffer: 2 ** 26,
  }).catch((failure: unknown) => failure as { stdout: string });
  return JSON.parse(stdout) as unknown;
}
