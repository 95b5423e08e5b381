import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../network/free-ports.js';
import { edgeConfiguration } from './edge-configuration.js';
import { programPath } from '../requirements/requirements.js';
import { deleteStreams, readStreams } from './nats.js';
import { natsUrl } from './nats-url.js';
import type { RunningService, ServiceDatabase } from './running-service.js';
import { ServiceProcess, type EnvironmentVariables } from './service-process.js';

const APPS = ['userctx', 'mcdisk', 'gateway'] as const;
export const PROCESS_NAMES = ['userctx', 'mcdisk', 'gateway-1', 'gateway-2'] as const;
export type ProcessName = (typeof PROCESS_NAMES)[number];

/** Environment variables of individual processes, which override the variables of all processes. */
export type ProcessSettings = Partial<Record<ProcessName, EnvironmentVariables>>;

/**
 * The service as four processes, userctx, mcdisk and two gateways, behind nginx. nginx distributes requests and sockets
 * over the gateways round robin, without sticky sessions.
 */
export class DistributedService implements RunningService {
  private readonly processes = new Map<ProcessName, ServiceProcess>();
  private nginx: ChildProcess | undefined;

  private constructor(
    readonly url: string,
    readonly dataDir: string,
    private readonly ports: Record<ProcessName, number>,
    private readonly settings: EnvironmentVariables & { NATS_PREFIX: string; NATS_URL: string; SECRET_KEY: string },
    private readonly processSettings: ProcessSettings,
  ) {}

  /** @param settings - environment variables of all processes, in addition to database, bus, data directory and port */
  static async start(
    database: ServiceDatabase & { isMigrated?: boolean },
    settings: EnvironmentVariables = {},
    processSettings: ProcessSettings = {},
  ): Promise<DistributedService> {
    const [edgePort = 0, userctx = 0, mcdisk = 0, firstGateway = 0, secondGateway = 0] = await freePorts(5);
    const ports = { userctx, mcdisk, 'gateway-1': firstGateway, 'gateway-2': secondGateway };
    const url = `http://127.0.0.1:${edgePort}`;
    const dataDir = mkdtempSync(join(tmpdir(), 'fw-distributed-'));
    const commonSettings = {
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      PUBLIC_URL: url,
      TRUSTED_PROXIES: '127.0.0.1',
      DATABASE_URL: database.url,
      NATS_URL: natsUrl,
      NATS_PREFIX: `t${randomBytes(6).toString('hex')}`,
      JWKS_URL: `http://127.0.0.1:${userctx}/.well-known/jwks.json`,
      SECRET_KEY: randomBytes(32).toString('base64url'),
      INTERNAL_SECRET: randomBytes(32).toString('base64url'),
      MCDISK_URL: `http://127.0.0.1:${mcdisk}`,
      GATEWAY_URL: `http://127.0.0.1:${firstGateway}`,
      ...settings,
    };
    const service = new DistributedService(url, dataDir, ports, commonSettings, processSettings);
    try {
      if (!database.isMigrated) await service.migrate(database);
      for (const name of PROCESS_NAMES) service.launch(name);
      service.startEdge();
      await Promise.all(PROCESS_NAMES.map((name) => service.waitUntilReady(name)));
      return service;
    } catch (error) {
      await service.stop();
      throw error;
    }
  }

  get secretKey(): string {
    return this.settings.SECRET_KEY;
  }

  /** Returns all messages in the streams of the event bus, as text. */
  readStreams(): Promise<string[]> {
    return readStreams(this.settings.NATS_PREFIX, this.settings.NATS_URL);
  }

  /** URLs of the apps, bypassing the edge. */
  get processUrls(): string[] {
    return PROCESS_NAMES.map((name) => this.urlOf(name));
  }

  get gatewayUrls(): string[] {
    return [this.urlOf('gateway-1'), this.urlOf('gateway-2')];
  }

  get logs(): string[] {
    return [...this.processes.values()].flatMap(({ logs }) => logs);
  }

  /** Kills a process with SIGKILL. */
  async kill(name: ProcessName): Promise<void> {
    await this.processes.get(name)?.kill();
  }

  async restart(name: ProcessName): Promise<void> {
    this.launch(name);
    await this.waitUntilReady(name);
  }

  /** Stops a process with SIGTERM. @returns the exit code of the process; null if it had to be killed */
  async terminate(name: ProcessName): Promise<number | null> {
    return (await this.processes.get(name)?.stop()) ?? null;
  }

  signal(name: ProcessName, signal: NodeJS.Signals): void {
    this.processes.get(name)?.signal(signal);
  }

  isRunning(name: ProcessName): boolean {
    return this.processes.get(name)?.isRunning ?? false;
  }

  /** Restarts nginx, which ends all connections of clients. */
  async restartEdge(): Promise<void> {
    await this.stopEdge();
    this.startEdge();
  }

  async stop(): Promise<readonly (number | null)[]> {
    const exitCodes = await Promise.all([...this.processes.values()].map((process) => process.stop()));
    await this.stopEdge();
    await deleteStreams(this.settings.NATS_PREFIX, this.settings.NATS_URL);
    rmSync(this.dataDir, { recursive: true, force: true });
    return exitCodes;
  }

  private urlOf(name: ProcessName): string {
    return `http://127.0.0.1:${this.ports[name]}`;
  }

  /** Runs the program `migrate` of each app, as operators do before they start a new version. */
  private async migrate({ url, migrationUrl }: ServiceDatabase): Promise<void> {
    await Promise.all(
      APPS.map((app) => {
        const variables = { DATABASE_URL: url, MIGRATION_DATABASE_URL: migrationUrl };
        const entry = `apps/${app}/dist/migrate.js`;
        return ServiceProcess.start(`migrate ${app}`, entry, variables, this.logFileOf(`migrate-${app}`)).waitForExit();
      }),
    );
  }

  private launch(name: ProcessName): void {
    const entry = `apps/${name.replace(/-\d$/, '')}/dist/main.js`;
    const variables = { ...this.settings, ...this.processSettings[name], PORT: this.ports[name] };
    this.processes.set(name, ServiceProcess.start(name, entry, variables, this.logFileOf(name)));
  }

  private startEdge(): void {
    const port = Number(new URL(this.url).port);
    writeFileSync(join(this.dataDir, 'nginx.conf'), edgeConfiguration(port, this.ports, this.dataDir));
    const flags = ['-p', this.dataDir, '-c', 'nginx.conf', '-e', 'stderr', '-g', 'daemon off;'];
    this.nginx = spawn(programPath('nginx'), flags, { stdio: 'ignore' });
  }

  private async stopEdge(): Promise<void> {
    if (this.nginx?.exitCode !== null) return;
    const exited = once(this.nginx, 'exit');
    this.nginx.kill('SIGTERM');
    await exited;
  }

  private async waitUntilReady(name: ProcessName): Promise<void> {
    await this.processes.get(name)?.waitUntilReady(this.urlOf(name));
  }

  private logFileOf(name: string): string {
    return join(this.dataDir, `${name}.log`);
  }
}
