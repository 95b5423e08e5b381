import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';

const TURN_SERVER = '/usr/bin/turnserver';
const TURN_CLIENT = '/usr/bin/turnutils_uclient';

/** Is coturn, as Debian packs it, installed here? */
export const hasTurnServer = existsSync(TURN_SERVER) && existsSync(TURN_CLIENT);

/** A coturn of its own on loopback, which takes the credentials of whoever knows the secret. */
export class TurnServer {
  private constructor(
    private readonly process: ChildProcess,
    private readonly folder: string,
    readonly port: number,
    readonly secret: string,
  ) {}

  static async start(secret: string): Promise<TurnServer> {
    const folder = mkdtempSync(join(tmpdir(), 'turn-'));
    const port = await freePort();
    const server = spawn(TURN_SERVER, [
      '-n',
      '--listening-ip=127.0.0.1',
      '--relay-ip=127.0.0.1',
      `--listening-port=${port}`,
      '--use-auth-secret',
      `--static-auth-secret=${secret}`,
      '--realm=family-watch.test',
      '--no-tls',
      '--no-dtls',
      '--no-cli',
      '--allow-loopback-peers',
      '--log-file=stdout',
      `--pidfile=${join(folder, 'pid')}`,
      `--db=${join(folder, 'db')}`,
    ]);
    const turn = new TurnServer(server, folder, port, secret);
    await turn.untilItAnswers();
    return turn;
  }

  /** Does it give a relay for these credentials, and does what is sent through it arrive? */
  async relays(username: string, credential: string): Promise<boolean> {
    const client = spawn(TURN_CLIENT, [
      '-y',
      '-c',
      '-n',
      '1',
      '-m',
      '1',
      '-u',
      username,
      '-w',
      credential,
      '-p',
      String(this.port),
      '127.0.0.1',
    ]);
    let said = '';
    client.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    client.stderr.resume();
    const [code] = (await once(client, 'close')) as [number | null];
    return code === 0 && /tot_send_msgs=[1-9]/.test(said) && said.includes('Total lost packets 0 ');
  }

  async stop(): Promise<void> {
    if (this.process.exitCode === null) {
      const ended = once(this.process, 'exit');
      this.process.kill('SIGKILL');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Asks it for our own address, as any device does first (RFC 8489), until it says something. */
  private async untilItAnswers(): Promise<void> {
    this.process.stdout?.resume();
    this.process.stderr?.resume();
    const socket = createSocket('udp4');
    const question = Buffer.concat([Buffer.from('000100002112a442', 'hex'), randomBytes(12)]);
    let answered = false;
    socket.on('message', () => (answered = true));
    try {
      await waitUntil('coturn to answer', () => {
        if (this.process.exitCode !== null) throw new Error('coturn did not start');
        socket.send(question, this.port, '127.0.0.1');
        return answered;
      });
    } catch (error) {
      await this.stop();
      throw error;
    } finally {
      socket.close();
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
