import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Environment } from '@family-watch/platform/config/environment';
import { loadEnvironment } from '@family-watch/platform/config/load-environment';
import { PROGRAM_ENVIRONMENT } from '@family-watch/testing/process/program-environment';

const ROOT = resolve(import.meta.dirname, '../../../..');

/** The scripts of a package.json by name. */
function scriptsOf(file: string): Record<string, string> {
  return (JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as { scripts: Record<string, string> }).scripts;
}

describe('.env', () => {
  let directory: string;

  // A directory in which the commands find the project's files, and another .env.
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'fw-env-file-'));
    for (const name of ['.ci', 'apps', 'packages', 'node_modules'])
      symlinkSync(join(ROOT, name), join(directory, name));
    writeFileSync(join(directory, '.env'), 'PORT=from-file\nHOST=from-file.invalid\n');
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  /** Runs the last command of a script, without its build if that is a command of its own. */
  const run = (script: string, variables: Record<string, string> = {}) => {
    const command = script.split(' && ').at(-1) ?? '';
    return spawnSync('sh', ['-c', command.replace(/^node /, `"${process.execPath}" `)], {
      cwd: directory,
      env: { ...PROGRAM_ENVIRONMENT, ...variables },
      encoding: 'utf8',
    });
  };

  test.each(['start', 'dev --split', 'backup', 'operator fsck'])('is read by npm run %s', (command) => {
    const [name = '', argument = ''] = command.split(' ');
    const { stderr } = run(`${scriptsOf('package.json')[name]} ${argument}`);
    expect(stderr).toContain('PORT: ');
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test('does not replace variables of the environment', () => {
    const { stderr } = run(scriptsOf('package.json')['start'] ?? '', { PORT: '0', HTTP_IDLE_TIMEOUT: '0' });
    expect(stderr).toContain('HTTP_IDLE_TIMEOUT: ');
    expect(stderr).not.toContain('PORT: ');
  });

  test('is read by every other command that starts the service or works on its data', () => {
    const root = scriptsOf('package.json');
    const commands = ['restore', 'operator', 'demo'].map((name) => root[name]);
    const apps = ['userctx', 'gateway', 'mcdisk'].map((app) => scriptsOf(`apps/${app}/package.json`));
    const ofApps = apps.flatMap(({ dev, start, migrate }) => [dev, start, migrate]);
    for (const command of [...commands, ...ofApps, scriptsOf('apps/standalone/package.json')['dev']])
      expect(command).toContain('node --import ./.ci/load-env-file.mjs ');
  });
});

describe('.env.example', () => {
  const [defaults = '', ofOneApp = ''] = readFileSync(join(ROOT, '.env.example'), 'utf8').split('# One app alone');
  const assignmentsIn = (text: string) =>
    [...text.matchAll(/^#([A-Z_0-9]+)=(.*)$/gm)].map(([, name = '', value = '']): [string, string] => [name, value]);

  test('names the defaults of variables that exist', () => {
    const page = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');
    const environment = new Environment() as unknown as Record<string, string | number | undefined>;
    expect(assignmentsIn(defaults).length).toBeGreaterThan(8);
    for (const [name, value] of assignmentsIn(defaults)) {
      expect(page).toContain(`\`${name}\``);
      expect([name, value]).toEqual([name, String(environment[name] ?? '')]);
    }
  });

  test('has all values that one app alone requires', () => {
    const values = Object.fromEntries(assignmentsIn(ofOneApp));
    const required = ['DATABASE_URL', 'NATS_URL', 'JWKS_URL', 'SECRET_KEY', 'INTERNAL_SECRET'] as const;
    expect(loadEnvironment(values, required)).toMatchObject(values);
  });
});
