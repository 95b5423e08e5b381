import { fileURLToPath } from 'node:url';
import type { Endpoint } from '../../load/websocket.js';
import type { BenchDatabase } from '../bench-database.js';
import { freePort } from '../free-port.js';
import { ServerProcess } from '../server-process.js';
import { CREATE_TABLE } from './message-table.js';

export interface BareServer {
  process: ServerProcess;
  endpoint: Endpoint;
}

export async function startBareServer(database: BenchDatabase): Promise<BareServer> {
  await database.query(CREATE_TABLE);
  const port = await freePort();
  const server = await ServerProcess.start({
    name: 'bare Socket.IO',
    command: process.execPath,
    args: ['--enable-source-maps', fileURLToPath(new URL('./main.js', import.meta.url))],
    env: { ...process.env, NODE_ENV: 'production', DATABASE_URL: database.url, PORT: String(port) },
    ready: /bare server is ready/,
  });
  return { process: server, endpoint: { host: '127.0.0.1', port } };
}
