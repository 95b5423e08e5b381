import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Lets plain Node import this repository's TypeScript sources: for suites (native-test-runner.mjs), for jest's own
 * process (global setup, reporter), and for programs that are started from their sources (`node --import`).
 */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const require = createRequire(import.meta.url);

// What V8 compiled is kept, too: dozens of processes of a run load the same modules.
process.env.NODE_COMPILE_CACHE ??= join(ROOT, 'node_modules/.cache/node-compile-cache');
enableCompileCache();

const swcrc = JSON.parse(readFileSync(join(ROOT, '.swcrc'), 'utf8'));

/** jest imports a suite under an address with a query, so that it is evaluated each time. */
const TYPESCRIPT = /\.ts(\?|$)/;
const TEST_GLOBALS = new URL('./globals.mjs', import.meta.url).href;

/** What was compiled is kept by the digest of everything that it depends on: many processes of a run load the same. */
const CACHE = join(ROOT, 'node_modules/.cache/family-watch-typescript');
const compiler = JSON.stringify([swcrc, require('@swc/core/package.json').version]);

function compile(filename) {
  const source = readFileSync(filename, 'utf8');
  const kept = join(CACHE, createHash('sha1').update(compiler).update(filename).update(source).digest('hex'));
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const options = { ...swcrc, filename, swcrc: false, sourceMaps: 'inline' };
    const { code } = require('@swc/core').transformSync(source, options);
    keep(kept, code);
    return code;
  }
}

/** Renamed when it is whole: other processes read and write here, too. */
function keep(file, code) {
  try {
    mkdirSync(CACHE, { recursive: true });
    writeFileSync(`${file}.${process.pid}`, code);
    renameSync(`${file}.${process.pid}`, file);
  } catch {
    // Another user's process may not write here; it compiles for itself.
  }
}

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return next(TEST_GLOBALS, context);
    if (specifier.startsWith('.') && specifier.endsWith('.js') && TYPESCRIPT.test(context.parentURL ?? '')) {
      const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
      if (existsSync(source)) return next(source.href, context);
    }
    return next(specifier, { ...context, conditions: ['family-watch-source', ...context.conditions] });
  },
  load(url, context, next) {
    if (!url.startsWith('file:') || !TYPESCRIPT.test(url) || url.includes('/node_modules/')) return next(url, context);
    return { format: 'module', source: compile(fileURLToPath(url)), shortCircuit: true };
  },
});
