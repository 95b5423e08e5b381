import { copyFile } from 'node:fs/promises';
import { defineConfig } from 'tsdown';

const BUNDLED_PACKAGES = ['openapi-fetch', 'openapi-typescript-helpers'];

/**
 * The published package contains the contracts of the domain, because the other packages of this repository are
 * private, and openapi-fetch, whose CommonJS build has another form of export than its ES module.
 */
export default defineConfig({
  entry: 'src/index.ts',
  platform: 'neutral',
  target: 'es2022',
  fixedExtension: false,
  sourcemap: true,
  inputOptions: { resolve: { conditionNames: ['family-watch-source', 'import', 'default'] } },
  deps: { alwaysBundle: BUNDLED_PACKAGES, onlyBundle: BUNDLED_PACKAGES },
  // The declarations are the same for both formats, and generating them takes most of the build's time.
  format: { esm: { dts: { eager: true } }, cjs: { dts: false } },
  hooks: {
    'build:done': async () => {
      await copyFile('dist/index.d.ts', 'dist/index.d.cts');
      await copyFile('../../node_modules/openapi-fetch/LICENSE', 'dist/openapi-fetch.LICENSE');
    },
  },
});
