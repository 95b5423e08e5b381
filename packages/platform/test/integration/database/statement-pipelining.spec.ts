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

// The failures that this suite causes are expected, and so is what is logged about them.
Logger.overrideLogger(false);

const [BEGIN, NO_BEGIN] = ['START TRANSACTION', 'START TRANSACTIOX'];

let database: TestDatabase;
let admin: Client;
let server: Server;
let app: AppDatabase;
let unit: UnitOfWork;
/** Whether the server refuses BEGIN, as it does when it is cancelled at that moment; the connection stays. */
let refusesBegin = false;
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
    carry(near, host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `postgres://${user ?? ''}:${password ?? ''}@127.0.0.1:${(server.address() as AddressInfo).port}/${name ?? ''}`;
  app = await openAppDatabase({ name: 'alpha', schema: 'alpha', url, entities: [], limits: { poolSize: 2 } });
  unit = new UnitOfWork(app.dataSource, 'alpha');
});

beforeEach(async () => {
  await admin.query(`TRUNCATE alpha.counter; INSERT INTO alpha.counter VALUES ('a', 0), ('b', 0)`);
});

afterEach(() => {
  refusesBegin = false;
});

afterAll(async () => {
  await app.close();
  for (const socket of sockets) socket.destroy();
  server.close();
  await admin.end();
  await database.drop();
});

function carry(near: Socket, far: Socket): void {
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
    far.write(refusesBegin ? Buffer.from(text.replace(BEGIN, NO_BEGIN), 'latin1') : data);
  });
}

async function values(): Promise<number[]> {
  const { rows } = await admin.query<{ value: string }>('SELECT value FROM alpha.counter ORDER BY id');
  return rows.map(({ value }) => Number(value));
}

async function add(id: string): Promise<void> {
  await unit.prepared.query('UPDATE alpha.counter SET value = value + 1 WHERE id = $1', [id]);
}

async function collide(collides: boolean): Promise<void> {
  await unit.prepared.query('SELECT alpha.collide($1)', [collides]);
}

describe('statements that travel together', () => {
  it('are all rolled back when one fails, and when work fails while they are under way', async () => {
    await expect(unit.run(() => Promise.all([collideAlways(), add('a')]))).rejects.toThrow();
    await expect(unit.run(() => Promise.all([add('a'), collideAlways()]))).rejects.toThrow();
    const leaving = unit.run(async () => {
      void Promise.allSettled([add('a'), add('b')]);
      throw new Error('away');
    });
    await expect(leaving).rejects.toThrow('away');
    expect(await values()).toEqual([0, 0]);
  });

  it('are run again after a deadlock, whichever of them is heard first', async () => {
    for (let turn = 1; turn <= 20; turn += 1) {
      let runs = 0;
      await unit.run(async () => {
        runs += 1;
        // The way of the first one to who waits is longer than that of the second.
        const first = (async () => {
          await (async () => collide(runs === 1))();
        })();
        await Promise.all([first, add('a')]);
      });
      expect(runs).toBe(2);
      expect(await values()).toEqual([turn, 0]);
    }
  });
});

describe('a unit whose transaction has not begun', () => {
  beforeEach(() => {
    refusesBegin = true;
  });

  it.each([
    ['that writes first', () => add('a')],
    ['that writes first by TypeORM', () => unit.manager.query(`UPDATE alpha.counter SET value = 1`)],
    ['that writes beside what it reads', () => Promise.all([unit.prepared.query('SELECT 1'), add('a'), look()])],
    ['that writes after it has read', () => look().then(() => add('a'))],
    ['that does nothing', async () => undefined],
  ])('writes nothing, and gives up its connection: one %s', async (_, work) => {
    await expect(unit.run<unknown>(work)).rejects.toBeInstanceOf(DatabaseUnavailableError);
    expect(await values()).toEqual([0, 0]);
    refusesBegin = false;
    await unit.run(() => add('a'));
    expect(await values()).toEqual([1, 0]);
  });
});

async function look(): Promise<void> {
  await unit.executor.query('SELECT 2');
}

async function collideAlways(): Promise<void> {
  await unit.prepared.query('SELECT 1 / $1::int', [0]);
}
