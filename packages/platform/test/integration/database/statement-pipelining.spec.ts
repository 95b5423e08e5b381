import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Client } from 'pg';
import { openAppDatabase, type AppDatabase } from '@family-watch/platform/database/app-database';
import { DatabaseUnavailableError } from '@family-watch/platform/database/database-unavailable.error';
import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { CreateCounters1767225600000 } from './counters.migration.js';

// This suite causes failures on purpose, which would fill the log.
Logger.overrideLogger(false);

const [BEGIN, NO_BEGIN] = ['START TRANSACTION', 'START TRANSACTIOX'];

let database: TestDatabase;
let admin: Client;
let server: Server;
let app: AppDatabase;
let unitOfWork: UnitOfWork;
/** If true, BEGIN fails without closing the connection, like a cancelled BEGIN. */
let failsBegin = false;
const sockets = new Set<Socket>();

beforeAll(async () => {
  database = await createTestDatabase({
    template: [{ name: 'alpha', schema: 'alpha', migrations: [CreateCounters1767225600000] }],
  });
  admin = new Client({ connectionString: database.adminUrl });
  await admin.connect();
  await admin.query(`
    CREATE FUNCTION alpha.collide(collides boolean) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN IF collides THEN RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END IF; END $$;
    GRANT EXECUTE ON FUNCTION alpha.collide TO PUBLIC`);
  const { host, port, user, password, database: name } = new Client({ connectionString: database.url });
  server = createServer((near) =>
    proxy(near, host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `postgres://${user ?? ''}:${password ?? ''}@127.0.0.1:${(server.address() as AddressInfo).port}/${name ?? ''}`;
  app = await openAppDatabase({ name: 'alpha', schema: 'alpha', url, entities: [], limits: { poolSize: 2 } });
  unitOfWork = new UnitOfWork(app.dataSource, 'alpha');
});

beforeEach(async () => {
  await admin.query(`TRUNCATE alpha.counter; INSERT INTO alpha.counter VALUES ('a', 0), ('b', 0)`);
});

afterEach(() => {
  failsBegin = false;
});

afterAll(async () => {
  await app.close();
  for (const socket of sockets) socket.destroy();
  server.close();
  await admin.end();
  await database.drop();
});

/** Forwards data between both sockets. */
function proxy(near: Socket, far: Socket): void {
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const) {
    sockets.add(from);
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
  }
  far.on('data', (data) => near.write(data));
  near.on('data', (data) => {
    const text = data.toString('latin1');
    far.write(failsBegin ? Buffer.from(text.replace(BEGIN, NO_BEGIN), 'latin1') : data);
  });
}

async function values(): Promise<number[]> {
  const { rows } = await admin.query<{ value: string }>('SELECT value FROM alpha.counter ORDER BY id');
  return rows.map(({ value }) => Number(value));
}

async function add(id: string): Promise<void> {
  await unitOfWork.prepared.query('UPDATE alpha.counter SET value = value + 1 WHERE id = $1', [id]);
}

async function collideIf(collides: boolean): Promise<void> {
  await unitOfWork.prepared.query('SELECT alpha.collide($1)', [collides]);
}

describe('pipelined statements', () => {
  it('are all rolled back when one statement fails, or when the work throws while they are in progress', async () => {
    await expect(unitOfWork.run(() => Promise.all([failStatement(), add('a')]))).rejects.toThrow();
    await expect(unitOfWork.run(() => Promise.all([add('a'), failStatement()]))).rejects.toThrow();
    const failing = unitOfWork.run(async () => {
      void Promise.allSettled([add('a'), add('b')]);
      throw new Error('work failed');
    });
    await expect(failing).rejects.toThrow('work failed');
    expect(await values()).toEqual([0, 0]);
  });

  it('are retried after a deadlock, whichever of their promises rejects first', async () => {
    for (let round = 1; round <= 20; round += 1) {
      let runs = 0;
      await unitOfWork.run(async () => {
        runs += 1;
        // The rejection of the first statement reaches `Promise.all` after that of the second.
        const first = (async () => {
          await (async () => collideIf(runs === 1))();
        })();
        await Promise.all([first, add('a')]);
      });
      expect(runs).toBe(2);
      expect(await values()).toEqual([round, 0]);
    }
  });
});

describe('a transaction whose BEGIN fails', () => {
  beforeEach(() => {
    failsBegin = true;
  });

  it.each([
    ['write', () => add('a')],
    ['write through TypeORM', () => unitOfWork.manager.query(`UPDATE alpha.counter SET value = 1`)],
    ['write concurrent with reads', () => Promise.all([unitOfWork.prepared.query('SELECT 1'), add('a'), read()])],
    ['write after a read', () => read().then(() => add('a'))],
    ['empty transaction', async () => undefined],
  ])('writes nothing and discards its connection, for the case: %s', async (_, work) => {
    await expect(unitOfWork.run<unknown>(work)).rejects.toBeInstanceOf(DatabaseUnavailableError);
    expect(await values()).toEqual([0, 0]);
    failsBegin = false;
    await unitOfWork.run(() => add('a'));
    expect(await values()).toEqual([1, 0]);
  });
});

async function read(): Promise<void> {
  await unitOfWork.executor.query('SELECT 2');
}

async function failStatement(): Promise<void> {
  await unitOfWork.prepared.query('SELECT 1 / $1::int', [0]);
}
