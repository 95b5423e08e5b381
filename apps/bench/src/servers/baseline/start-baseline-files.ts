import { fileURLToPath } from 'node:url';
import { freePort } from '@family-watch/testing/network/free-ports';
import { ServerProcess } from '../server-process.js';
import type { AppInstance } from '../app.js';

/**
 * Starts a bare file server that stores the files of `folder` (`@tus/server`), serves them (`@fastify/static`), or lets
 * a proxy serve them (`offload`).
 */
export async function startBaselineFileServer(
  kind: 'tus' | 'static' | 'offload',
  folder: string,
): Promise<AppInstance> {
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
