import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@family-watch/testing/network/free-ports';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { programPath } from '@family-watch/testing/requirements/requirements';

const TURN_CLIENT = '/usr/bin/turnutils_uclient';

/** A local coturn server that accepts credentials created with the shared secret. */
export class TurnServer {
  private constructor(
    private readonly process: ChildProcess,
    private readonly directory: string,
    readonly port: number,
    readonly secret: string,
  ) {}

  static async start(secret: string): Promise<TurnServer> {
    const directory = mkdtempSync(join(tmpdir(), 'turn-'));
    const port = await freePort();
    const server = spawn(programPath('turnserver'), [
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
      `--pidfile=${join(directory, 'pid')}`,
      `--db=${join(directory, 'db')}`,
    ]);
    const turn = new TurnServer(server, directory, port, secret);
    await turn.waitUntilReady();
    return turn;
  }

  /**
   * Returns whether the server allocates a relay for these credentials and delivers the data sent through the relay.
   */
  async canRelay(username: string, credential: string): Promise<boolean> {
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
    let output = '';
    client.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    client.stderr.resume();
    const [code] = (await once(client, 'close')) as [number | null];
    return code === 0 && /tot_send_msgs=[1-9]/.test(output) && output.includes('Total lost packets 0 ');
  }

  async stop(): Promise<void> {
    if (this.process.exitCode === null) {
      const ended = once(this.process, 'exit');
      this.process.kill('SIGKILL');
      await ended;
    }
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Sends STUN binding requests (RFC 8489) until the server responds. */
  private async waitUntilReady(): Promise<void> {
    this.process.stdout?.resume();
    this.process.stderr?.resume();
    const socket = createSocket('udp4');
    const bindingRequest = Buffer.concat([Buffer.from('000100002112a442', 'hex'), randomBytes(12)]);
    let hasResponded = false;
    socket.on('message', () => (hasResponded = true));
    try {
      await waitUntil('coturn to respond', () => {
        if (this.process.exitCode !== null) throw new Error('coturn did not start');
        socket.send(bindingRequest, this.port, '127.0.0.1');
        return hasResponded;
      });
    } catch (error) {
      await this.stop();
      throw error;
    } finally {
      socket.close();
    }
  }
}
