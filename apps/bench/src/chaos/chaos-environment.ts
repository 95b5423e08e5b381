import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { EmbeddedPostgres } from '@family-watch/embedded-postgres/embedded-postgres';
import { TcpProxy } from '@family-watch/testing/network/tcp-proxy';
import {
  DistributedService,
  PROCESS_NAMES,
  type ProcessName,
  type ProcessSettings,
} from '@family-watch/testing/service/distributed-service';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { startNats } from '../servers/nats.js';
import type { ServerProcess } from '../servers/server-process.js';

/** Rate limits so high that the clients of the run, which share one address, do not reach them. */
const RAISED_RATE_LIMITS = {
  RATE_LIMIT_REQUESTS: 1_000_000,
  RATE_LIMIT_PROOFS: 1_000_000,
  RATE_LIMIT_CALLER_REQUESTS: 1_000_000,
  RATE_LIMIT_FILE_REQUESTS: 1_000_000,
  RATE_LIMIT_SIGN_IN: 1_000_000,
  RATE_LIMIT_SMS_ADDRESS: 1_000_000,
  RATE_LIMIT_SMS_PREFIX: 1_000_000,
};

/** The proxies through which one process connects to the database and to NATS. */
export interface ProcessLinks {
  database: TcpProxy;
  nats: TcpProxy;
}

/** The distributed service with its own database and NATS servers, which each process reaches through two proxies. */
export class ChaosEnvironment {
  private stopPromise: Promise<void> | undefined;

  private constructor(
    readonly service: DistributedService,
    readonly links: Readonly<Record<ProcessName, ProcessLinks>>,
    private readonly database: EmbeddedPostgres,
    private readonly nats: OwnNats,
    private readonly folder: string,
    private readonly cleanups: AsyncDisposableStack,
  ) {}

  static async start(): Promise<ChaosEnvironment> {
    await using cleanups = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'family-watch-chaos-'));
    cleanups.defer(() => rm(folder, { recursive: true, force: true }));
    // The database server runs as another user if this process runs as root.
    await chmod(folder, 0o1777);
    const database = await EmbeddedPostgres.start({
      dataDir: join(folder, 'postgres'),
      transport: 'tcp',
      settings: { max_connections: '200' },
    });
    const { url, migrationUrl, adminUrl, relocated, cluster } = database.info;
    if (relocated) cleanups.defer(() => rm(dirname(cluster), { recursive: true, force: true }));
    cleanups.defer(() => database.stop());
    const nats = await startOwnNats(folder);
    cleanups.defer(() => nats.process.stop());
    const startProxy = async (port: number): Promise<TcpProxy> => {
      const proxy = await TcpProxy.start({ host: '127.0.0.1', port });
      cleanups.defer(() => proxy.close());
      return proxy;
    };
    const links = {} as Record<ProcessName, ProcessLinks>;
    const processSettings: ProcessSettings = {};
    for (const name of PROCESS_NAMES) {
      links[name] = { database: await startProxy(Number(new URL(url).port)), nats: await startProxy(nats.port) };
      processSettings[name] = {
        DATABASE_URL: withPort(url, links[name].database.port),
        NATS_URL: `nats://127.0.0.1:${links[name].nats.port}`,
      };
    }
    const settings = { ...RAISED_RATE_LIMITS, NATS_URL: `nats://127.0.0.1:${nats.port}` };
    const service = await DistributedService.start({ url, migrationUrl, adminUrl }, settings, processSettings);
    cleanups.defer(async () => void (await service.stop()));
    return new ChaosEnvironment(service, links, database, nats, folder, cleanups.move());
  }

  /** Kills NATS with SIGKILL. */
  async killNats(): Promise<void> {
    await this.nats.process.kill();
  }

  /** Starts NATS on its former port. */
  async restartNats(): Promise<void> {
    Object.assign(this.nats, await startOwnNats(this.folder, this.nats.port));
  }

  /** Deletes all streams; NATS must not be running. */
  async wipeNats(): Promise<void> {
    await rm(join(this.folder, 'nats'), { recursive: true, force: true });
  }

  /** Stops the database server without a checkpoint, and waits until the server has started again and recovered. */
  async crashDatabase(): Promise<void> {
    const { pid } = this.database;
    if (pid === undefined) throw new Error('The database server is not running');
    process.kill(pid, 'SIGQUIT');
    // The process id is undefined while the server cannot be started.
    await waitUntil('the database restarts', () => this.database.pid !== undefined && this.database.pid !== pid);
  }

  /** Sends a signal to all processes of the database server. */
  signalDatabase(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const { pid } = this.database;
    if (pid === undefined) throw new Error('The database server is not running');
    process.kill(pid, signal);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
    for (const child of children) {
      try {
        process.kill(Number(child), signal);
      } catch (error) {
        // The child has exited since the list was read.
        if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
      }
    }
  }

  /** Returns whether all processes are ready and no backing service is degraded. */
  async isHealthy(): Promise<boolean> {
    const states = await Promise.all(
      this.service.processUrls.map(async (url) => {
        try {
          return await (await fetch(`${url}/health/ready`)).text();
        } catch {
          return '';
        }
      }),
    );
    return states.every((text) => text === '{"status":"ok"}');
  }

  /** Stops the service, its proxies and its servers. Repeated calls return the same promise. */
  stop(): Promise<void> {
    this.stopPromise ??= this.cleanups.disposeAsync();
    return this.stopPromise;
  }
}

/** The NATS server that the run starts, kills and restarts. */
interface OwnNats {
  port: number;
  process: ServerProcess;
}

async function startOwnNats(folder: string, port?: number): Promise<OwnNats> {
  const { url, process } = await startNats(folder, { port });
  if (!process) throw new Error('NATS must be a process of the run');
  return { port: Number(new URL(url).port), process };
}

function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}
