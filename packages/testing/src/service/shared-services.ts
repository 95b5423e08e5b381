import { createServer, request } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createTestDatabase } from '../database/test-database.js';
import type { TestDatabase } from '../database/test-database.js';
import { RUN_FOLDER_VARIABLE } from '../reporting/backing-service-use.js';
import { DistributedService } from './distributed-service.js';
import type { RunningService } from './running-service.js';
import { StandaloneService } from './standalone-service.js';

const STARTERS = {
  standalone: (database: TestDatabase) => StandaloneService.start(database),
  distributed: (database: TestDatabase) => DistributedService.start(database),
};

/** How a shared service runs: one process with the in-process bus, or a process per app on NATS behind nginx. */
export type ServiceKind = keyof typeof STARTERS;

/** A service that all suites of the run use together. */
export interface SharedService {
  readonly url: string;
  readonly dataDir: string;
  readonly secretKey: string;
  /** Its database, for the superuser. */
  readonly adminUrl: string;
}

/**
 * The services of one run, started when the first suite asks for them, with the settings that production has by
 * default. They belong to jest's own process, because its workers come and go; suites ask over a Unix socket.
 */
export class SharedServices {
  private readonly started = new Map<ServiceKind, Promise<SharedService>>();
  private readonly stops: (() => Promise<void>)[] = [];
  private readonly server: Server;

  private constructor() {
    this.server = createServer((incoming, response) => {
      this.find((incoming.url ?? '').slice(1) as ServiceKind).then(
        (service) => response.end(JSON.stringify(service)),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
    this.server.keepAliveTimeout = 1;
  }

  /** @param folder - the folder of the run; the socket is a file in it */
  static async listen(folder: string): Promise<SharedServices> {
    const services = new SharedServices();
    services.server.listen(socketIn(folder));
    await once(services.server, 'listening');
    return services;
  }

  async stop(): Promise<void> {
    this.server.close();
    await Promise.allSettled(this.started.values());
    await Promise.all(this.stops.map((stop) => stop()));
  }

  private find(kind: ServiceKind): Promise<SharedService> {
    const found = this.started.get(kind) ?? this.start(kind);
    this.started.set(kind, found);
    return found;
  }

  private async start(kind: ServiceKind): Promise<SharedService> {
    const database = await createTestDatabase();
    const service: RunningService = await STARTERS[kind](database);
    this.stops.push(() => service.stop());
    const { url, dataDir, secretKey } = service;
    return { url, dataDir, secretKey, adminUrl: database.adminUrl };
  }
}

/** The service of this kind that the run shares. @throws Error when it could not be started */
export async function sharedService(kind: ServiceKind): Promise<SharedService> {
  const folder = process.env[RUN_FOLDER_VARIABLE];
  if (folder === undefined) throw new Error('There is no shared service; run the suites with `npm test`.');
  const asked = request({ socketPath: socketIn(folder), path: `/${kind}`, agent: false }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const body = await text(response);
  if (response.statusCode !== 200) throw new Error(`The ${kind} service did not start: ${body}`);
  return JSON.parse(body) as SharedService;
}

function socketIn(folder: string): string {
  return join(folder, 'services.sock');
}
