import { connect } from 'node:net';
import { join } from 'node:path';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { freePort } from '@family-watch/testing/network/free-ports';
import { ServerProcess } from './server-process.js';

/** Commands to try: Debian installs the NATS server into a directory that is only in root's PATH. */
const NATS_COMMANDS = ['nats-server', '/usr/sbin/nats-server', '/usr/local/bin/nats-server'];

export interface Nats {
  url: string;
  /**
   * Process of the NATS server. The process is absent for an external server, whose CPU time cannot be attributed to
   * the benchmark.
   */
  process?: ServerProcess;
}

/**
 * Starts a NATS server, so that its CPU time can be measured. With `url`, the running server at this URL is used
 * instead.
 *
 * @param folder - contains the server's streams in `nats/`
 * @param options.port - port of 127.0.0.1; a free one by default
 * @throws Error when no `nats-server` is installed
 */
export async function startNats(folder: string, options: { url?: string; port?: number } = {}): Promise<Nats> {
  if (options.url) return { url: options.url };
  const port = options.port ?? (await freePort());
  const args = ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', join(folder, 'nats')];
  for (const command of NATS_COMMANDS) {
    try {
      const process = await ServerProcess.start({
        name: 'nats-server',
        command,
        args,
        readyPattern: /Server is ready/,
      });
      await waitUntil('NATS accepts connections', () => isListening(port));
      return { url: `nats://127.0.0.1:${port}`, process };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error('nats-server was not found. Install it (Debian package nats-server) or pass --nats.');
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
