import { transformSync } from '@swc/core';
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/*
 * Lets plain Node import this repository's TypeScript sources as the tests do: for jest's own process (global setup,
 * reporter), which jest does not transform as ES modules, and for programs that tests start (`node --import`).
 */
const swcrc = JSON.parse(readFileSync(new URL('../../../.swcrc', import.meta.url), 'utf8'));

/** jest imports a suite under an address with a query, so that it is evaluated each time. */
const TYPESCRIPT = /\.ts(\?|$)/;
const TEST_GLOBALS = new URL('./globals.mjs', import.meta.url).href;

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
    const filename = fileURLToPath(url);
    const { code } = transformSync(readFileSync(filename, 'utf8'), {
      ...swcrc,
      filename,
      swcrc: false,
      sourceMaps: 'inline',
    });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
