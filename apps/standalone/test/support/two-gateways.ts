import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '@family-watch/platform/config/environment';
import { nginxConfiguration } from './nginx-configuration.js';

const ROOT = resolve(import.meta.dirname, '../../../..');
const LOADER = join(ROOT, 'packages/testing/jest/load-typescript.mjs');
const END_WITH_PARENT = join(ROOT, 'apps/standalone/src/split/end-with-parent.ts');
const NGINX = '/usr/sbin/nginx';
const PATIENCE_MS = 90_000;

export const nginxIsThere = existsSync(NGINX);

type Name = 'userctx' | 'mcdisk' | 'gateway-1' | 'gateway-2';
const NAMES: readonly Name[] = ['userctx', 'mcdisk', 'gateway-1', 'gateway-2'];

/**
 * userctx, mcdisk and two gateways, each a process of the operating system, behind one address of nginx that sends
 * each request and each socket to the next gateway: nobody comes back to the node that knew them.
 */
export class TwoGateways {
  private readonly processes = new Map<string, ChildProcess>();
  private output = '';

  private constructor(
    readonly url: string,
    private readonly ports: Record<Name, number>,
    private readonly environment: Environment,
    private readonly folder: string,
  ) {}

  /** @param environment - with DATABASE_URL, NATS_URL and DATA_DIR */
  static async start(environment: Environment): Promise<TwoGateways> {
    const [edge = 0, userctx = 0, mcdisk = 0, first = 0, second = 0] = await freePorts(5);
    const ports = { userctx, mcdisk, 'gateway-1': first, 'gateway-2': second };
    const folder = mkdtempSync(join(tmpdir(), 'fw-edge-'));
    const secured = { ...environment, SECRET_KEY: randomBytes(24).toString('hex') };
    const fleet = new TwoGateways(`http://127.0.0.1:${edge}`, ports, secured, folder);
    try {
      for (const name of NAMES) fleet.launch(name);
      writeFileSync(join(folder, 'nginx.conf'), nginxConfiguration(edge, ports, folder));
      fleet.watch('nginx', spawn(NGINX, ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr', '-g', 'daemon off;']));
      await Promise.all(NAMES.map((name) => fleet.untilReady(name)));
      await fleet.until(async () => (await statusOf(`${fleet.url}/health/ready`)) === 200, 'the edge');
    } catch (error) {
      await fleet.stop();
      throw error;
    }
    return fleet;
  }

  /** As a machine does that loses its power. */
  async kill(name: Name): Promise<void> {
    const child = this.processes.get(name);
    if (!child) throw new Error(`${name} does not run`);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async startAgain(name: Name): Promise<void> {
    this.launch(name);
    await this.untilReady(name);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.processes.values()].map(stopped));
    rmSync(this.folder, { recursive: true, force: true });
  }

  private launch(name: Name): void {
    const main = join(ROOT, 'apps', name.replace(/-\d$/, ''), 'src/main.ts');
    const settings = { ...this.environment, PORT: this.ports[name], HOST: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' };
    const own = {
      PUBLIC_URL: this.url,
      JWKS_URL: `http://127.0.0.1:${this.ports.userctx}/.well-known/jwks.json`,
      LOG_LEVEL: 'warn',
    };
    const { MIGRATION_DATABASE_URL: _, ...runtime } = Object.fromEntries(
      Object.entries({ ...settings, ...own }).flatMap(([key, value]) =>
        value === undefined ? [] : [[key, String(value)]],
      ),
    );
    const env = { PATH: process.env.PATH, ...runtime };
    const flags = ['--no-warnings', '--import', LOADER, '--import', END_WITH_PARENT];
    this.watch(name, spawn(process.execPath, [...flags, main], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] }));
  }

  private watch(name: string, child: ChildProcess): void {
    this.processes.set(name, child);
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (this.output += String(chunk)));
  }

  private async untilReady(name: Name): Promise<void> {
    await this.until(async () => {
      if (this.processes.get(name)?.exitCode != null) throw new Error(`${name} ended:\n${this.output.slice(-4_000)}`);
      return (await statusOf(`http://127.0.0.1:${this.ports[name]}/health/ready`)) === 200;
    }, name);
  }

  private async until(holds: () => Promise<boolean>, what: string): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    while (!(await holds())) {
      if (Date.now() > deadline) throw new Error(`Waited for ${what}:\n${this.output.slice(-4_000)}`);
      await sleep(50);
    }
  }
}

async function statusOf(url: string): Promise<number> {
  try {
    return (await fetch(url)).status;
  } catch {
    return 0;
  }
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(killer);
}

/** All are held until the last is found, so that they differ. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
