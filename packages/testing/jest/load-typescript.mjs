import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Module hooks with which Node imports this repository's TypeScript sources: for suites (native-test-runner.mjs), for
 * jest's main process (global setup, reporter), and for programs started from their sources (`node --import`).
 */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const require = createRequire(import.meta.url);

// V8's compiled code is cached as well, because dozens of processes of a run load the same modules.
process.env.NODE_COMPILE_CACHE ??= join(ROOT, 'node_modules/.cache/node-compile-cache');
enableCompileCache();

const swcrc = JSON.parse(readFileSync(join(ROOT, '.swcrc'), 'utf8'));

/**
 * Matches URLs of TypeScript files. The test runner adds a query to the URL of a suite, so that Node evaluates it
 * again.
 */
const TYPESCRIPT_URL = /\.ts(\?|$)/;
const TEST_GLOBALS_URL = new URL('./globals.mjs', import.meta.url).href;

/**
 * Directory of compiled sources, shared by all processes of a run. The name of a file is the digest of everything on
 * which the compiled source depends.
 */
const CACHE_DIRECTORY = join(ROOT, 'node_modules/.cache/family-watch-typescript');
const compilerVersion = JSON.stringify([swcrc, require('@swc/core/package.json').version]);

function compile(filename) {
  const source = readFileSync(filename, 'utf8');
  const cacheFile = join(
    CACHE_DIRECTORY,
    createHash('sha1').update(compilerVersion).update(filename).update(source).digest('hex'),
  );
  try {
    return readFileSync(cacheFile, 'utf8');
  } catch {
    const options = { ...swcrc, filename, swcrc: false, sourceMaps: 'inline' };
    const { code } = require('@swc/core').transformSync(source, options);
    writeCacheFile(cacheFile, code);
    return code;
  }
}

/** Writes a cache file atomically by renaming it, because other processes read and write concurrently. */
function writeCacheFile(file, code) {
  try {
    mkdirSync(CACHE_DIRECTORY, { recursive: true });
    writeFileSync(`${file}.${process.pid}`, code);
    renameSync(`${file}.${process.pid}`, file);
  } catch {
    // A process of another user cannot write to the cache, and compiles without it.
  }
}

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return next(TEST_GLOBALS_URL, context);
    if (specifier.startsWith('.') && specifier.endsWith('.js') && TYPESCRIPT_URL.test(context.parentURL ?? '')) {
      const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
      if (existsSync(source)) return next(source.href, context);
    }
    return next(specifier, { ...context, conditions: ['family-watch-source', ...context.conditions] });
  },
  load(url, context, next) {
    if (!url.startsWith('file:') || !TYPESCRIPT_URL.test(url) || url.includes('/node_modules/'))
      return next(url, context);
    return { format: 'module', source: compile(fileURLToPath(url)), shortCircuit: true };
  },
});
