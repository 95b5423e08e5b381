import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Client } from 'pg';
import { openAppDatabase, type AppDatabase } from '@family-watch/platform/database/app-database';
import { DatabaseUnavailableError } from '@family-watch/platform/database/database-errors';
import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { CreateCounters1767225600000 } from './counters.migration.js';

// This suite causes failures on purpose, which would fill the log.
Logger.overrideLogger(false);

const STATEMENT_TIMEOUT_MS = 2_000;

/** A TCP proxy that stops forwarding data, without closing connections, once `freezeAt` matches the data. */
class FreezingProxy {
  freezeAt: RegExp | undefined;
  /** Number of connections that clients have opened. */
  connectionCount = 0;
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
    this.connectionCount += 1;
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
let proxyUrl: string;
let app: AppDatabase;
let unitOfWork: UnitOfWork;

beforeAll(async () => {
  database = await createTestDatabase({
    template: [{ name: 'alpha', schema: 'alpha', migrations: [CreateCounters1767225600000] }],
  });
  const { host, port, user, password, database: name } = new Client({ connectionString: database.url });
  proxy = new FreezingProxy({ host, port });
  proxyUrl = `postgres://${user ?? ''}:${password ?? ''}@127.0.0.1:${await proxy.listen()}/${name ?? ''}`;
  // With the default `silenceMs`, the circuit would reject statements before the driver times out.
  const limits = { statementTimeoutMs: STATEMENT_TIMEOUT_MS, poolSize: 2, silenceMs: 600_000 };
  app = await openAppDatabase({ name: 'alpha', schema: 'alpha', url: proxyUrl, entities: [], limits });
  unitOfWork = new UnitOfWork(app.dataSource, 'alpha');
});
afterEach(() => proxy.unfreeze());
afterAll(async () => {
  proxy.close();
  await app.close();
  await database.drop();
});

test.each([
  ['a statement', /SELECT 4711/],
  ['COMMIT', /COMMIT/],
])(
  'a connection that stops responding at %s is discarded without another attempt, and the next connection works',
  async (_, freezeAt) => {
    proxy.freezeAt = freezeAt;
    const connections = proxy.connectionCount;
    await expect(unitOfWork.run(() => unitOfWork.executor.query('SELECT 4711'))).rejects.toBeInstanceOf(
      DatabaseUnavailableError,
    );
    expect(proxy.connectionCount).toBe(connections);
    proxy.unfreeze();
    expect(await unitOfWork.run(() => unitOfWork.executor.query('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  },
);

test('an app rejects database work immediately while the server does not respond, and runs it when the server responds again', async () => {
  const limits = { statementTimeoutMs: 600_000, poolSize: 2, silenceMs: 2_000, probeTimeoutMs: 2_000 };
  const watched = await openAppDatabase({ name: 'watched', schema: 'alpha', url: proxyUrl, entities: [], limits });
  const unit = new UnitOfWork(watched.dataSource, 'alpha');
  const one = () => unit.executor.query('SELECT 1 AS one');
  expect(await one()).toEqual([{ one: 1 }]);
  proxy.freezeAt = /./;
  // There are more requests than connections, so some requests wait for a connection.
  const results = await Promise.allSettled(Array.from({ length: 6 }, one));
  for (const result of results)
    expect(result).toMatchObject({ status: 'rejected', reason: expect.any(DatabaseUnavailableError) as unknown });
  await expect(one()).rejects.toBeInstanceOf(DatabaseUnavailableError);
  expect(await watched.isReachable()).toBe(false);
  proxy.unfreeze();
  await waitUntil('the database to be reachable', () => watched.isReachable());
  expect(await unit.run(one)).toEqual([{ one: 1 }]);
  await watched.close();
});

test('a statement that takes longer than the silence limit completes if the server still responds', async () => {
  const limits = { poolSize: 2, silenceMs: 250, probeTimeoutMs: 5_000 };
  const watched = await openAppDatabase({ name: 'watched', schema: 'alpha', url: proxyUrl, entities: [], limits });
  const unit = new UnitOfWork(watched.dataSource, 'alpha');
  expect(await unit.executor.query('SELECT 1 AS one FROM pg_sleep(2)')).toEqual([{ one: 1 }]);
  await watched.close();
});
