import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const CLIENT = join(import.meta.dirname, '../../../client');

/**
 * Makes a directory the project of an app that has installed the SDK from its package, as `npm publish` would upload it.
 * The packages on which the SDK depends are packed from this repository, so that npm needs no registry.
 *
 * @param project - an empty directory
 */
export async function installClientPackage(project: string): Promise<void> {
  const archives = mkdtempSync(join(tmpdir(), 'fw-archives-'));
  try {
    const packages = [CLIENT, ...dependenciesOf(CLIENT)];
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', archives, ...packages], { cwd: project });
    writeFileSync(join(project, 'package.json'), '{ "name": "app", "version": "1.0.0", "type": "module" }');
    const flags = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    const paths = readdirSync(archives).map((name) => join(archives, name));
    await run('npm', ['install', ...flags, ...paths], { cwd: project });
  } finally {
    rmSync(archives, { recursive: true, force: true });
  }
}

/** Paths of the installed packages on which a package depends, directly or indirectly. */
function dependenciesOf(directory: string): Set<string> {
  const manifest = join(directory, 'package.json');
  const { dependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as { dependencies?: object };
  const found = new Set<string>();
  for (const name of Object.keys(dependencies)) {
    const path = findPackageJSON(name, manifest);
    if (path === undefined) throw new Error(`${name} is not installed`);
    found.add(dirname(path));
    for (const indirect of dependenciesOf(dirname(path))) found.add(indirect);
  }
  return found;
}
