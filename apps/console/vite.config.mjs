import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Address of a running service, to which the development server forwards requests. */
const SERVICE_URL = process.env.SERVICE_URL ?? 'http://127.0.0.1:3000';

export default defineConfig({
  plugins: [react()],
  // The service serves the files at /, and their names contain a digest, so that browsers keep them.
  build: { target: 'es2022', assetsDir: 'console-assets', sourcemap: false },
  server: {
    proxy: {
      ...Object.fromEntries(
        ['/apis', '/hmd-wx', '/app-api', '/share', '/docs'].map((path) => [path, { target: SERVICE_URL }]),
      ),
      '/socket.io': { target: SERVICE_URL, ws: true },
    },
  },
});
