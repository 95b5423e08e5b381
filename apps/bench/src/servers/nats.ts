import { join } from 'node:path';
import { freePort } from './free-port.js';
import { ServerProcess, waitUntil } from './server-process.js';
import { connect } from 'node:net';

/** Debian puts it where only root's search path looks. */
const BINARIES = ['nats-server', '/usr/sbin/nats-server', '/usr/local/bin/nats-server'];

export interface Nats {
  url: string;
  /** Absent for a server that is not the bench's: its CPU time cannot be told from others'. */
  process?: ServerProcess;
}

/** A server of the bench's own, so that its CPU time is known; `url` names another instead. */
export async function startNats(folder: string, url?: string): Promise<Nats> {
  if (url) return { url };
  const port = await freePort();
  const args = ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', join(folder, 'nats')];
  for (const command of BINARIES) {
    try {
      const process = await ServerProcess.start({ name: 'nats-server', command, args, ready: /Server is ready/ });
      await waitUntil('NATS answers', () => answers(port));
      return { url: `nats://127.0.0.1:${port}`, process };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error('There is no nats-server; install one (Debian: nats-server) or give --nats');
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
