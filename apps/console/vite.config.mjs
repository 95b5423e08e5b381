import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';

/** Address of a running service, to which the development server forwards requests. */
const SERVICE_URL = process.env.SERVICE_URL ?? 'http://127.0.0.1:3000';

export default defineConfig({
  plugins: [
    react(),
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
        globIgnores: ['**/operator-pages-*'],
      },
    }),
  ],
  // The service serves the files at /, and their names contain a digest, so that browsers keep them.
  build: { target: 'es2022', assetsDir: 'console-assets', sourcemap: false },
  // MapLibre starts its worker as a module. Vite's development server must not bundle it into another file.
  worker: { format: 'es' },
  optimizeDeps: { exclude: ['maplibre-gl'] },
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
