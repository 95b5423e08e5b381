import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createTestDatabase, type TestDatabase } from '../database/test-database.js';
import { PROGRAM_ENVIRONMENT } from '../process/program-environment.js';
import { RUN_FOLDER_VARIABLE } from '../reporting/run-counters.js';
import { DistributedService } from './distributed-service.js';
import type { RunningService } from './running-service.js';
import { StandaloneService } from './standalone-service.js';

const ROOT = resolve(import.meta.dirname, '../../../..');

const SERVICE_STARTERS = {
  standalone: (database: TestDatabase) =>
    process.env.TEST_RESTORED_SERVICE ? startRestored(database) : StandaloneService.start(database),
  distributed: (database: TestDatabase) => DistributedService.start(database),
};

/** Starts standalone on the backup of another service, so that the suites test a restored service. */
async function startRestored(database: TestDatabase): Promise<StandaloneService> {
  const directory = mkdtempSync(join(tmpdir(), 'fw-restored-'));
  const environmentOf = ({ url, migrationUrl }: TestDatabase, name: string) => ({
    ...PROGRAM_ENVIRONMENT,
    DATA_DIR: join(directory, name),
    BACKUP_DIR: join(directory, 'backups'),
    DATABASE_URL: url,
    MIGRATION_DATABASE_URL: migrationUrl,
    SECRET_KEY: randomBytes(32).toString('base64url'),
  });
  const source = await createTestDatabase();
  const variables = environmentOf(source, 'source');
  mkdirSync(variables.DATA_DIR);
  const first = await StandaloneService.start(source, { DATA_DIR: variables.DATA_DIR });
  const run = (program: string, env: NodeJS.ProcessEnv, ...args: string[]) =>
    promisify(execFile)(process.execPath, [join(ROOT, `apps/standalone/dist/${program}.js`), ...args], { env });
  await run('backup', variables);
  await first.stop();
  const target = environmentOf(database, 'target');
  // The new SECRET_KEY does not prove the origin of the backup.
  await run('restore', target, '--secrets', 'renew', '--accept-unauthenticated');
  await source.drop();
  const { DATA_DIR, SECRET_KEY } = target;
  return StandaloneService.start(database, { DATA_DIR, SECRET_KEY });
}

/** Kind of a shared service: one process with the in-process bus, or a process per app on NATS behind nginx. */
export type ServiceKind = keyof typeof SERVICE_STARTERS;

/** A service that all suites of a run share. */
export interface SharedService extends Pick<RunningService, 'url' | 'gatewayUrls' | 'dataDir' | 'secretKey'> {
  /** Superuser URL of the service's database. */
  readonly adminUrl: string;
}

/**
 * The shared services of one run, with the default settings of production. A service starts when the first suite
 * requests it over a Unix socket. Services are child processes of jest's main process, because jest may replace its
 * workers.
 */
export class SharedServices {
  private readonly startedServices = new Map<ServiceKind, Promise<SharedService>>();
  private readonly stopFunctions: (() => Promise<unknown>)[] = [];
  private readonly server: Server;

  private constructor() {
    this.server = createServer((incoming, response) => {
      this.findOrStart((incoming.url ?? '').slice(1) as ServiceKind).then(
        (service) => response.end(JSON.stringify(service)),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
    this.server.keepAliveTimeout = 1;
  }

  /** @param directory - directory of the run, which contains the socket */
  static async listen(directory: string): Promise<SharedServices> {
    const services = new SharedServices();
    services.server.listen(socketPath(directory));
    await once(services.server, 'listening');
    return services;
  }

  async stop(): Promise<void> {
    this.server.close();
    await Promise.allSettled(this.startedServices.values());
    await Promise.all(this.stopFunctions.map((stop) => stop()));
  }

  private findOrStart(kind: ServiceKind): Promise<SharedService> {
    const service = this.startedServices.get(kind) ?? this.start(kind);
    this.startedServices.set(kind, service);
    return service;
  }

  private async start(kind: ServiceKind): Promise<SharedService> {
    const database = await createTestDatabase();
    const service: RunningService = await SERVICE_STARTERS[kind](database);
    this.stopFunctions.push(() => service.stop());
    const { url, gatewayUrls, dataDir, secretKey } = service;
    return { url, gatewayUrls, dataDir, secretKey, adminUrl: database.adminUrl };
  }
}

/**
 * Returns the shared service of this kind.
 *
 * @throws Error if the service could not be started
 */
export async function sharedService(kind: ServiceKind): Promise<SharedService> {
  const directory = process.env[RUN_FOLDER_VARIABLE];
  if (directory === undefined) throw new Error('There are no shared services; run the suites with `npm test`.');
  const sent = request({ socketPath: socketPath(directory), path: `/${kind}`, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const body = await text(response);
  if (response.statusCode !== 200) throw new Error(`The ${kind} service did not start: ${body}`);
  return JSON.parse(body) as SharedService;
}

function socketPath(directory: string): string {
  return join(directory, 'services.sock');
}
