import { connect } from 'node:net';
import { EnvironmentError } from '@family-watch/platform/config/load-environment';

export const DEFAULT_NATS_URL = 'nats://127.0.0.1:4222';

const CONNECT_TIMEOUT_MS = 2_000;

/**
 * Checks that a NATS server responds. Separate processes need a NATS server, and the product does not include one.
 * @throws EnvironmentError with instructions to start a NATS server
 */
export async function assertNatsReachable(url: string): Promise<void> {
  const { hostname, port, host } = new URL(url.split(',')[0] ?? url);
  const answers = await new Promise<boolean>((resolve) => {
    const socket = connect({ host: hostname, port: Number(port || 4222), timeout: CONNECT_TIMEOUT_MS });
    const settle = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    // A NATS server sends its INFO line first.
    socket.once('data', (greeting) => settle(greeting.toString('latin1').startsWith('INFO '))());
    for (const event of ['error', 'timeout', 'end'] as const) socket.once(event, settle(false));
  });
  if (answers) return;
  throw new EnvironmentError([
    `NATS_URL: no NATS server answers at ${host}. Any of these gives one:`,
    '    docker compose --file docker/compose.dev.yml up --detach nats',
    '    apt install nats-server && nats-server --jetstream --store_dir .data/nats --addr 127.0.0.1',
    '    NATS_URL=nats://… npm run dev:split',
    'Without NATS, `npm start` runs the whole service in one process.',
  ]);
}
