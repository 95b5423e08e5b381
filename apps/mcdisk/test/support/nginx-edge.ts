import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '@family-watch/testing/network/free-ports';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { programPath } from '@family-watch/testing/requirements/requirements';

const CONFIGURATION_PATH = resolve(import.meta.dirname, '../../../../docker/edge/nginx.conf');

/** Runs nginx with the configuration of the Docker image, in front of one local mcdisk. */
export class NginxEdge {
  private constructor(
    readonly url: string,
    private readonly directory: string,
    private readonly nginx: ChildProcess,
  ) {}

  /** @param dataDir data directory of mcdisk, which the image mounts as a volume */
  static async start(mcdiskUrl: string, dataDir: string): Promise<NginxEdge> {
    const port = await freePort();
    const directory = await mkdtemp(join(tmpdir(), 'mcdisk-edge-'));
    const configuration = (await readFile(CONFIGURATION_PATH, 'utf8'))
      .replace('include mime.types', 'include /etc/nginx/mime.types')
      .replace('listen 8080', `listen 127.0.0.1:${port}`)
      .replaceAll(/(userctx|mcdisk|gateway):8080 resolve/g, new URL(mcdiskUrl).host)
      .replace('access_log /dev/stdout edge', 'access_log off')
      .replaceAll('/tmp/', `${directory}/`)
      .replaceAll('/srv/mcdisk', dataDir);
    // Blob files are readable only by their owner, the user who runs the tests, so nginx must run as that user.
    const user = process.getuid?.() === 0 ? 'user root;\n' : '';
    await writeFile(join(directory, 'nginx.conf'), user + configuration);
    await writeFile(join(directory, 'trusted-proxies.conf'), '');
    const flags = ['-p', directory, '-c', 'nginx.conf', '-e', 'stderr', '-g', 'daemon off;'];
    const nginx = spawn(programPath('nginx'), flags, { stdio: ['ignore', 'ignore', 'inherit'] });
    const edge = new NginxEdge(`http://127.0.0.1:${port}`, directory, nginx);
    await edge.waitUntilReady();
    return edge;
  }

  async stop(): Promise<void> {
    if (this.nginx.exitCode === null) {
      const exited = once(this.nginx, 'exit');
      this.nginx.kill('SIGTERM');
      await exited;
    }
    await rm(this.directory, { recursive: true, force: true });
  }

  private async waitUntilReady(): Promise<void> {
    await waitUntil('nginx to respond', async () => {
      if (this.nginx.exitCode !== null) throw new Error('nginx did not start');
      const response = await fetch(`${this.url}/health/live`).catch(() => undefined);
      return response?.ok ?? false;
    });
  }
}
