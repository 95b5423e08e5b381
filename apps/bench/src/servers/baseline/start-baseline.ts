import { fileURLToPath } from 'node:url';
import { freePort } from '@family-watch/testing/network/free-ports';
import type { ServerEndpoint } from '../../load/websocket.js';
import type { BenchDatabase } from '../bench-database.js';
import { ServerProcess } from '../server-process.js';
import { CREATE_TABLE } from './message-table.js';
import { CREATE_EQUIVALENT_ROWS } from './equivalent-rows.js';

export interface BaselineServer {
  process: ServerProcess;
  endpoint: ServerEndpoint;
}

/** Which rows the bare server stores for a message: a single row, or the same rows as the gateway. */
export type BaselineRows = 'single-row' | 'rows-of-gateway';

/** Creates the tables of the variant and starts the bare Socket.IO server. */
export async function startBaselineServer(database: BenchDatabase, rows: BaselineRows): Promise<BaselineServer> {
  await database.query(rows === 'rows-of-gateway' ? CREATE_EQUIVALENT_ROWS : CREATE_TABLE);
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
