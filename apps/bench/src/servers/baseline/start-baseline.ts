import { fileURLToPath } from 'node:url';
import type { ServerEndpoint } from '../../load/websocket.js';
import type { BenchDatabase } from '../bench-database.js';
import { freePort } from '../free-port.js';
import { ServerProcess } from '../server-process.js';
import { CREATE_TABLE } from './message-table.js';
import { CREATE_EQUIVALENT_ROWS } from './equivalent-rows.js';

export interface BaselineServer {
  process: ServerProcess;
  endpoint: ServerEndpoint;
}

/** With `one`, the server stores one row per message; with `same`, it stores the rows that the gateway stores. */
export type BaselineRows = 'one' | 'same';

/** Creates the tables of the variant and starts the bare Socket.IO server. */
export async function startBaselineServer(database: BenchDatabase, rows: BaselineRows): Promise<BaselineServer> {
  await database.query(rows === 'same' ? CREATE_EQUIVALENT_ROWS : CREATE_TABLE);
  const port = await freePort();
  const server = await ServerProcess.start({
    name: 'bare Socket.IO',
    command: process.execPath,
    args: ['--enable-source-maps', fileURLToPath(new URL('./main.js', import.meta.url))],
    env: { ...process.env, NODE_ENV: 'production', DATABASE_URL: database.url, PORT: String(port), ROWS: rows },
    readyPattern: /bare server is ready/,
  });
  return { process: server, endpoint: { host: '127.0.0.1', port } };
}
