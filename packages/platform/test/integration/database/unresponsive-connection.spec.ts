import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Client } from 'pg';
import { openAppDatabase, type AppDatabase } from '@family-watch/platform/database/app-database';
import { DatabaseUnavailableError } from '@family-watch/platform/database/database-unavailable.error';
import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { CreateCounters1767225600000 } from './counters.migration.js';

// This suite causes failures on purpose, which would fill the log.
Logger.overrideLogger(false);

/** Statement timeout. The driver discards the connection five seconds after this timeout. */
const STATEMENT_MS = 500;
const RESPONSE_TIMEOUT_MS = STATEMENT_MS + 5_000;

/** A TCP proxy that silently stops forwarding data once `freezeAt` matches. */
class FreezingProxy {
  freezeAt: RegExp | undefined;
  private isFrozen = false;
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((near) => this.forward(near));

  constructor(private readonly target: { host: string; port: number }) {}

  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  unfreeze(): void {
    this.freezeAt = undefined;
    this.isFrozen = false;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  private forward(near: Socket): void {
    const { host, port } = this.target;
    const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
      from.on('data', (data) => {
        this.isFrozen ||= this.freezeAt?.test(data.toString('latin1')) ?? false;
        if (!this.isFrozen) to.write(data);
      });
    }
  }
}

let database: TestDatabase;
let proxy: FreezingProxy;
let app: AppDatabase;
let unitOfWork: UnitOfWork;

beforeAll(async () => {
  database = await createTestDatabase({
    template: [{ name: 'alpha', schema: 'alpha', migrations: [CreateCounters1767225600000] }],
  });
  const { host, port, user, password, database: name } = new Client({ connectionString: database.url });
  proxy = new FreezingProxy({ host, port });
  const url = `postgres://${user ?? ''}:${password ?? ''}@127.0.0.1:${await proxy.listen()}/${name ?? ''}`;
  const limits = { statementTimeoutMs: STATEMENT_MS, connectTimeoutMs: 1_000, poolSize: 2 };
  app = await openAppDatabase({ name: 'alpha', schema: 'alpha', url, entities: [], limits });
  unitOfWork = new UnitOfWork(app.dataSource, 'alpha');
});
afterEach(() => proxy.unfreeze());
afterAll(async () => {
  proxy.close();
  await app.close();
  await database.drop();
});

it.each([
  ['a statement', /SELECT 4711/],
  ['COMMIT', /COMMIT/],
])(
  'a connection that stops responding at %s is discarded after one timeout and the next one works',
  async (_, freezeAt) => {
    proxy.freezeAt = freezeAt;
    const startedAt = performance.now();
    await expect(unitOfWork.run(() => unitOfWork.executor.query('SELECT 4711'))).rejects.toBeInstanceOf(
      DatabaseUnavailableError,
    );
    expect(performance.now() - startedAt).toBeLessThan(RESPONSE_TIMEOUT_MS * 1.5);
    proxy.unfreeze();
    expect(await unitOfWork.run(() => unitOfWork.executor.query('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  },
);
