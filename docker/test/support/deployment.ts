import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { Client } from 'pg';
import { EmbeddedPostgres } from '@family-watch/embedded-postgres/embedded-postgres';
import type { AppName } from '@family-watch/platform/http/route-table';
import { freePort } from '@family-watch/testing/network/free-ports';
import { programPath } from '@family-watch/testing/requirements/requirements';
import { containerEnvironment, DOCKER_DIRECTORY, readComposeFile } from './compose-file.js';
import { isSuccessful, ServiceProcess } from './service-process.js';

/** Address from which the edge accepts X-Forwarded-For. */
export const TRUSTED_PROXY_ADDRESS = '127.0.0.2';
export const APPS: readonly AppName[] = ['userctx', 'mcdisk', 'gateway'];

/** Returns how to run a program of an app with `node`: from the files of the app's image, or from source. */
export type ProgramResolver = (app: AppName | 'standalone', program: string) => { args: string[]; cwd: string };

export interface DeploymentOptions {
  /** Documents that the edge serves. */
  documentsDirectory?: string;
  /** Directory with the files that make-secrets.mjs has written; by default, new files are written. */
  secretsDirectory?: string;
  /** Variables of `docker compose`, for example BLOB_STORE. */
  variables?: NodeJS.ProcessEnv;
  /** Variables of the apps that differ from those of their containers. */
  settings?: Partial<Record<AppName, NodeJS.ProcessEnv>>;
}

/** Runs the containers of compose.yml as processes on this machine, with the same configuration files. */
export class Deployment {
  readonly ports = new Map<string, number>();
  readonly processes = new Map<string, ServiceProcess>();
  /** Variables of each env file that make-secrets.mjs creates, with the hosts and ports of this machine. */
  readonly secrets = new Map<string, NodeJS.ProcessEnv>();
  private postgres: EmbeddedPostgres | undefined;

  private constructor(
    readonly directory: string,
    private readonly programs: ProgramResolver,
    private readonly options: DeploymentOptions,
  ) {}

  static async start(programs: ProgramResolver, options: DeploymentOptions = {}): Promise<Deployment> {
    const directory = mkdtempSync(join(tmpdir(), 'fw-deployment-'));
    chmodSync(directory, 0o755);
    const deployment = new Deployment(directory, programs, options);
    try {
      for (const name of ['nats', 'edge', ...APPS]) deployment.ports.set(name, await freePort());
      deployment.readSecrets();
      await deployment.startPostgres();
      await deployment.startNats();
      for (const app of APPS) await deployment.migrate(app);
      deployment.startMaintenance();
      for (const app of APPS) await deployment.startApp(app);
      await deployment.startEdge(options.documentsDirectory);
      return deployment;
    } catch (error) {
      await deployment.stop();
      throw error;
    }
  }

  get url(): string {
    return `http://127.0.0.1:${this.ports.get('edge')}`;
  }

  get edgeLog(): string {
    return join(this.directory, 'edge.log');
  }

  get smsFile(): string {
    return join(this.directory, 'userctx', 'sms-outbox.jsonl');
  }

  secretsOf(name: string): NodeJS.ProcessEnv {
    return this.secrets.get(name) ?? {};
  }

  process(name: string): ServiceProcess {
    const found = this.processes.get(name);
    if (!found) throw new Error(`${name} was not started`);
    return found;
  }

  /** Starts an app again with other settings, like a container whose environment was changed. */
  async restartApp(app: AppName, settings: NodeJS.ProcessEnv): Promise<void> {
    await this.process(app).stop();
    await this.startApp(app, settings);
  }

  /**
   * Runs a program in the environment of an app's container, like `docker compose exec`.
   *
   * @returns the output
   * @throws Error with the output if the exit code is not 0
   */
  execute(app: AppName, program: string, args: readonly string[]): Promise<string> {
    const resolved = this.programs(app, program);
    const env = this.environmentOf(app);
    const command = { ...resolved, name: program, file: process.execPath, args: [...resolved.args, ...args], env };
    return new ServiceProcess(command).waitForSuccess();
  }

  /**
   * Runs a program of the container `backup` on the files of mcdisk.
   *
   * @param variables - variables that differ from those of the container
   * @returns the output
   * @throws Error with the output if the exit code is not 0
   */
  runBackupContainer(program: 'backup' | 'restore', variables: NodeJS.ProcessEnv = {}): Promise<string> {
    const { args, cwd } = this.programs('standalone', program);
    const container = containerEnvironment(
      readComposeFile('compose.yml').services['backup']!,
      (name) => this.secretsOf(name),
      this.options.variables,
    );
    const directories = { DATA_DIR: join(this.directory, 'mcdisk'), BACKUP_DIR: join(this.directory, 'backups') };
    const env = { NODE_ENV: 'production', ...container, ...directories, ...variables };
    return new ServiceProcess({
      name: program,
      file: process.execPath,
      args: [...args, '--containers'],
      cwd,
      env,
    }).waitForSuccess();
  }

  startMaintenance(): void {
    this.run('maintenance', 'userctx', 'maintenance', this.secretsOf('userctx-owner'));
  }

  /** Starts NATS again without its streams. */
  async loseNatsData(): Promise<void> {
    await this.process('nats').stop();
    rmSync(join(this.directory, 'nats'), { recursive: true });
    await this.runNats();
  }

  /** Waits until the app reports that it is ready. */
  async waitForReady(app: AppName): Promise<void> {
    await this.process(app).waitFor(() => isSuccessful(`http://127.0.0.1:${this.ports.get(app)}/health/ready`));
  }

  /** Creates an empty database with the privileges that roles.sh grants. */
  async createDatabase(name: string): Promise<void> {
    const client = new Client({ connectionString: this.postgres?.info.adminUrl });
    await client.connect();
    await client.query(`CREATE DATABASE ${name}`);
    for (const app of APPS) await client.query(`GRANT CONNECT, CREATE ON DATABASE ${name} TO ${app}_owner`);
    await client.end();
  }

  /** Stops all processes. Returns the exit code of each process. */
  async stop(): Promise<Record<string, number | null>> {
    const codes: Record<string, number | null> = {};
    for (const [name, running] of [...this.processes].reverse()) codes[name] = await running.stop();
    await this.postgres?.stop();
    if (this.postgres?.info.relocated) rmSync(dirname(this.postgres.info.cluster), { recursive: true, force: true });
    rmSync(this.directory, { recursive: true, force: true });
    return codes;
  }

  private readSecrets(): void {
    const directory = this.options.secretsDirectory ?? join(this.directory, 'env');
    if (this.options.secretsDirectory === undefined)
      execFileSync(process.execPath, [join(DOCKER_DIRECTORY, 'make-secrets.mjs'), directory]);
    for (const file of readdirSync(directory))
      this.secrets.set(file.replace(/\.env$/, ''), parseEnv(readFileSync(join(directory, file), 'utf8')));
  }

  private async startPostgres(): Promise<void> {
    this.postgres = await EmbeddedPostgres.start({ dataDir: join(this.directory, 'postgres'), transport: 'tcp' });
    const { hostname, port, password } = new URL(this.postgres.info.adminUrl);
    const secrets = this.secretsOf('postgres');
    const env = { ...process.env, ...secrets, PGHOST: hostname, PGPORT: port, PGPASSWORD: password };
    // Restores the state of a new Postgres container: an empty database and no roles except the superuser.
    const statements = [`DROP DATABASE ${secrets.POSTGRES_DB}`, `CREATE DATABASE ${secrets.POSTGRES_DB}`];
    execFileSync(programPath('psql'), ['-qU', 'postgres', ...statements.flatMap((each) => ['-c', each]), 'postgres'], {
      env,
    });
    execFileSync(join(DOCKER_DIRECTORY, 'postgres/roles.sh'), { env });
    this.replaceInSecrets('@postgres:5432', `@${hostname}:${port}`);
  }

  private async startNats(): Promise<void> {
    const port = this.ports.get('nats');
    const file = join(this.directory, 'nats.conf');
    cpSync(join(DOCKER_DIRECTORY, 'nats/permissions'), join(this.directory, 'permissions'), { recursive: true });
    const [, minor = 0] =
      /v2\.(\d+)/.exec(execFileSync(programPath('nats-server'), ['--version'], { encoding: 'utf8' }))?.map(Number) ??
      [];
    const config = readFileSync(join(DOCKER_DIRECTORY, 'nats/nats.conf'), 'utf8')
      .replace('port: 4222', `host: "127.0.0.1"\nport: ${port}`)
      .replace('http: "127.0.0.1:8222"', '')
      .replace('"/data"', JSON.stringify(join(this.directory, 'nats')));
    // NATS servers before 2.10 reject the unknown setting `sync_interval`.
    writeFileSync(file, minor < 10 ? config.replace('sync_interval: always', '') : config);
    await this.runNats();
    this.replaceInSecrets('@nats:4222', `@127.0.0.1:${port}`);
  }

  private async runNats(): Promise<void> {
    const args = ['--config', join(this.directory, 'nats.conf')];
    const nats = new ServiceProcess({
      name: 'nats',
      file: programPath('nats-server'),
      args,
      env: this.secretsOf('nats'),
    });
    this.processes.set('nats', nats);
    await nats.waitFor(() => nats.output.includes('Server is ready'));
  }

  private async migrate(app: AppName): Promise<void> {
    await this.run(`migrate-${app}`, app, 'migrate', this.secretsOf(`${app}-owner`)).waitForSuccess();
  }

  private async startApp(app: AppName, settings: NodeJS.ProcessEnv = {}): Promise<void> {
    mkdirSync(join(this.directory, app), { recursive: true });
    this.run(app, app, 'main', { ...this.environmentOf(app), ...settings });
    await this.waitForReady(app);
  }

  private environmentOf(app: AppName): NodeJS.ProcessEnv {
    return {
      NODE_ENV: 'production',
      ...containerEnvironment(
        readComposeFile('compose.yml').services[app]!,
        (name) => this.secretsOf(name),
        this.options.variables,
      ),
      HOST: '127.0.0.1',
      PORT: String(this.ports.get(app)),
      DATA_DIR: join(this.directory, app),
      TRUSTED_PROXIES: '127.0.0.1',
      // The containers have a network interface each; here, the port would be in use.
      METRICS_PORT: '',
      JWKS_URL: `http://127.0.0.1:${this.ports.get('userctx')}/.well-known/jwks.json`,
      MCDISK_URL: `http://127.0.0.1:${this.ports.get('mcdisk')}`,
      GATEWAY_URL: `http://127.0.0.1:${this.ports.get('gateway')}`,
      PUBLIC_URL: this.url,
      WATCH_ENROLMENT: 'open',
      SMS_FILE_IN_PRODUCTION: 'yes',
      ...this.options.settings?.[app],
    };
  }

  private async startEdge(documentsDirectory: string | undefined): Promise<void> {
    const root = join(this.directory, 'site');
    mkdirSync(join(root, 'docs'), { recursive: true });
    if (documentsDirectory) cpSync(documentsDirectory, join(root, 'docs'), { recursive: true });
    else writeFileSync(join(root, 'docs/index.html'), 'documents');
    cpSync(join(DOCKER_DIRECTORY, '../apps/console/dist'), root, { recursive: true });
    let config = readFileSync(join(DOCKER_DIRECTORY, 'edge/nginx.conf'), 'utf8')
      .replace('include mime.types', 'include /etc/nginx/mime.types')
      .replace('listen 8080', `listen 127.0.0.1:${this.ports.get('edge')}`)
      .replaceAll('/tmp/', `${this.directory}/`)
      // In tests, standard output is a socket, which nginx cannot open by name.
      .replace('/dev/stdout', this.edgeLog)
      .replaceAll('/srv/site', root)
      .replaceAll('/srv/mcdisk', join(this.directory, 'mcdisk'));
    // In tests, mcdisk runs as the current user, and only that user can read its files.
    if (process.getuid?.() === 0) config = `user root;\n${config}`;

    // nginx before 1.27.3, as in Debian 12, cannot resolve names of upstream servers at run time.
    for (const app of APPS) config = config.replace(`${app}:8080 resolve`, `127.0.0.1:${this.ports.get(app)}`);
    const file = join(this.directory, 'nginx.conf');
    writeFileSync(join(this.directory, 'trusted-proxies.conf'), `set_real_ip_from ${TRUSTED_PROXY_ADDRESS};`);
    writeFileSync(file, config);
    const edge = new ServiceProcess({
      name: 'edge',
      file: programPath('nginx'),
      args: ['-c', file, '-g', 'daemon off;'],
    });
    this.processes.set('edge', edge);
    await edge.waitFor(() => isSuccessful(`${this.url}/health/live`));
  }

  private run(
    name: string,
    app: AppName,
    program: 'main' | 'migrate' | 'maintenance',
    env: NodeJS.ProcessEnv,
  ): ServiceProcess {
    const { args, cwd } = this.programs(app, program);
    const running = new ServiceProcess({
      name,
      file: process.execPath,
      args,
      cwd,
      env: { NODE_ENV: 'production', ...env },
    });
    if (program !== 'migrate') this.processes.set(name, running);
    return running;
  }

  private replaceInSecrets(from: string, to: string): void {
    for (const [name, variables] of this.secrets) {
      const local = Object.entries(variables).map(([key, value]) => [key, value?.replace(from, to)] as const);
      this.secrets.set(name, Object.fromEntries(local));
    }
  }
}
