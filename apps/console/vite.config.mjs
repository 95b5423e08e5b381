import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compression } from 'vite-plugin-compression2';
import { VitePWA } from 'vite-plugin-pwa';

/** Address of a running service, to which the development server forwards requests. */
const SERVICE_URL = process.env.SERVICE_URL ?? 'http://127.0.0.1:3000';

/**
 * The scripts, each with all that its modules import and that is in no earlier one, so that a page needs few requests:
 * the sign-in needs the first script, the children's page also the second and the map. The map is a script by itself, so
 * that the second one has what the map and other pages share (`use-hotkeys`).
 */
const SCRIPTS = [
  { name: 'start', test: /src\/main\.tsx$/ },
  { name: 'first-pages', test: /src\/app\/first-pages\.ts$|use-hotkeys/ },
  { name: 'pages', test: /src\/app\/pages\.ts$/ },
  { name: 'watch', test: /src\/watch\/watch-page\.tsx$/ },
  { name: 'operator', test: /src\/operator\/operator-pages\.ts$/ },
].map((script, index, { length }) => ({ ...script, priority: length - index }));

export default defineConfig({
  plugins: [
    react(),
    // The gzip and brotli encodings, which the service and the edge send. The worker is complete only after the build.
    compression({ include: /\.(?:css|html|js)$/, exclude: /service-worker/ }),
    // Inserts the names of the built files into the worker, which stores them for a start without a connection.
    VitePWA({
      strategies: 'injectManifest',
      srcDir: 'public',
      filename: 'service-worker.js',
      // `src/core/service-worker.ts` registers the worker, and public/manifest.webmanifest is the manifest.
      injectRegister: false,
      manifest: false,
      injectManifest: {
        rollupFormat: 'iife',
        globPatterns: ['**/*.{html,js,css,png,svg,webmanifest}'],
        globIgnores: ['**/operator-*'],
      },
    }),
  ],
  // The service serves the files at /, and their names contain a digest, so that browsers keep them.
  build: {
    target: 'es2022',
    assetsDir: 'console-assets',
    sourcemap: false,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: SCRIPTS } } },
  },
  server: {
    proxy: {
      ...Object.fromEntries(
        ['/apis', '/hmd-wx', '/app-api', '/share', '/docs', '/console-config.json'].map((path) => [
          path,
          { target: SERVICE_URL },
        ]),
      ),
      '/socket.io': { target: SERVICE_URL, ws: true },
    },
  },
});
