import { execFile } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { freePort } from '@family-watch/testing/network/free-ports';
import { needs } from '@family-watch/testing/requirements/needs';
import { readComposeFile } from './support/compose-file.js';
import { ServiceProcess } from './support/service-process.js';

const SECRET = randomBytes(16).toString('hex');

/** Returns the command line of the service `turn`, with the values that Docker Compose inserts. */
function turnCommand(): string[] {
  const { entrypoint = [], command = [] } = readComposeFile('compose.yml').services['turn'] ?? {};
  return [...entrypoint, ...command]
    .map((option) => option.replace(/\$\{TURN_EXTERNAL_ADDRESS:-(.*)\}/, '$1').replaceAll('$$', '$'))
    .filter((option) => !option.startsWith('--listening-port='));
}

/** Relays data between two clients through the server, and returns the output of coturn's test client. */
async function relay(port: number, credential: string, username: string): Promise<string> {
  const args = ['-y', '-c', '-n', '1', '-m', '1', '-u', username, '-w', credential, '-p', String(port), '127.0.0.1'];
  const client = execFile('turnutils_uclient', args);
  let output = '';
  client.stdout?.on('data', (chunk: string) => (output += chunk));
  await once(client, 'close');
  return output;
}

needs('turnserver').test(
  'the relay of video calls starts with the options of compose.yml, and rejects strangers and private peers',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'fw-turn-'));
    const port = await freePort();
    const local = ['--listening-ip=127.0.0.1', '--relay-ip=127.0.0.1', `--listening-port=${port}`];
    const files = [`--pidfile=${join(directory, 'pid')}`, `--db=${join(directory, 'db')}`];
    const [file = '', ...args] = [...turnCommand(), ...local, ...files];
    const env = { TURN_SECRET: SECRET, TMPDIR: directory };
    const server = new ServiceProcess({ name: 'turn', file, args, env });
    try {
      await server.waitFor(() => server.output.includes('DB connection success'));
      const own = readFileSync(`/proc/${server.processId}/cmdline`, 'utf8');
      expect(own).toContain('turnserver');
      expect(own).not.toContain(SECRET);
      const username = `${Math.floor(Date.now() / 1_000) + 600}:user`;
      const credential = createHmac('sha1', SECRET).update(username).digest('base64');
      expect(await relay(port, 'wrong', username)).toMatch(/Cannot complete Allocation/);
      // The peers of this test are on the loopback address, so an accepted allocation cannot reach its peer.
      const output = await relay(port, credential, username);
      expect(output).toMatch(/error 403 \(Forbidden IP\)/);
      expect(output).not.toMatch(/Cannot complete Allocation/);
    } finally {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  },
);
