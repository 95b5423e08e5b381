import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../../../..');
const WORKSPACES = {
  apps: ['userctx', 'mcdisk', 'gateway', 'standalone', 'simulator', 'console'],
  packages: ['domain', 'event-bus', 'platform', 'client', 'testing'],
};
/** As all workspaces export their files; `dist` is not there. */
const SOURCE_EXPORTS = { './*': { 'family-watch-source': './src/*.ts', default: './dist/*.js' } };
const RULES_FILE = '.dependency-cruiser.cjs';

/** An import that one of the rules forbids. */
export interface Violation {
  rule: string;
  from: string;
  to: string;
}

/** Names of all rules of the repository. */
export function ruleNames(): string[] {
  const { forbidden } = createRequire(import.meta.url)(join(ROOT, RULES_FILE)) as { forbidden: { name: string }[] };
  return forbidden.map(({ name }) => name);
}

/** Makes a repository of empty workspaces with the rules of this one, and npm packages that are empty files. */
export function layOut(folder: string, npmPackages: readonly string[]): void {
  for (const file of [RULES_FILE, 'tsconfig.json', 'tsconfig.base.json']) cpSync(join(ROOT, file), join(folder, file));
  plant(folder, 'package.json', '{ "type": "module", "devDependencies": { "pino-pretty": "*" } }');
  mkdirSync(join(folder, 'node_modules/@family-watch'), { recursive: true });
  for (const [kind, names] of Object.entries(WORKSPACES)) {
    for (const name of names) {
      const manifest = { name: `@family-watch/${name}`, type: 'module', exports: SOURCE_EXPORTS };
      plant(folder, `${kind}/${name}/package.json`, JSON.stringify(manifest));
      symlinkSync(join(folder, kind, name), join(folder, 'node_modules/@family-watch', name));
    }
  }
  for (const name of npmPackages) {
    plant(folder, `node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' }));
    plant(folder, `node_modules/${name}/index.js`, '');
  }
}

/** Writes a file, and its folders. */
export function plant(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** Runs the same command as `npm run check:dependencies`. */
export async function cruise(folder: string): Promise<Violation[]> {
  const program = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const args = [program, '--config', RULES_FILE, '--output-type', 'json', 'apps', 'packages'];
  const output = await promisify(execFile)(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 26 }).catch(
    (failure: unknown) => failure as { stdout: string },
  );
  const { summary } = JSON.parse(output.stdout) as {
    summary: { violations: { rule: { name: string }; from: string; to: string }[] };
  };
  return summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to }));
}
