import { fileURLToPath } from 'node:url';
import { freePort } from '../free-port.js';
import { ServerProcess } from '../server-process.js';
import type { AppInstance } from '../app.js';

/** Starts a bare file server (`@tus/server` or `@fastify/static`) that stores or serves the files of `folder`. */
export async function startBaselineFileServer(kind: 'tus' | 'static', folder: string): Promise<AppInstance> {
  const port = await freePort();
  const server = await ServerProcess.start({
    name: `bare ${kind}`,
    command: process.execPath,
    args: ['--enable-source-maps', fileURLToPath(new URL(`./${kind}-main.js`, import.meta.url))],
    env: { ...process.env, NODE_ENV: 'production', FOLDER: folder, PORT: String(port) },
    readyPattern: new RegExp(`bare ${kind} is ready`),
  });
  return { process: server, endpoint: { host: '127.0.0.1', port } };
}
