import { afterAll, afterEach, expect, test } from '@jest/globals';
import { DatabaseUnavailableError } from '@family-watch/platform/errors/database-errors';
import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { DatabaseProxy } from '../../support/database-proxy.js';
import { openCounterApp, unitOfWork, useCounterDatabase } from '../../support/counter-database.js';

const STATEMENT_TIMEOUT_MS = 2_000;

let proxy: DatabaseProxy;

// With the default `silenceMs`, the circuit would reject statements before the driver times out.
const limits = { statementTimeoutMs: STATEMENT_TIMEOUT_MS, poolSize: 2, silenceMs: 600_000 };
useCounterDatabase(limits, async (databaseUrl) => {
  proxy = await DatabaseProxy.start(databaseUrl);
  return proxy.url;
});
afterEach(unfreeze);
afterAll(() => proxy.close());

/** From the first data that match, the proxy forwards nothing, without closing connections. */
function freezeAt(pattern: RegExp): void {
  let isFrozen = false;
  proxy.change = (data) => {
    isFrozen ||= pattern.test(data.toString('latin1'));
    return isFrozen ? undefined : data;
  };
}

function unfreeze(): void {
  proxy.change = (data) => data;
}

test.each([
  ['a statement', /SELECT 4711/],
  ['COMMIT', /COMMIT/],
])(
  'a connection that stops responding at %s is discarded without another attempt, and the next connection works',
  async (_, pattern) => {
    freezeAt(pattern);
    const connections = proxy.connectionCount;
    await expect(unitOfWork.run(() => unitOfWork.executor.query('SELECT 4711'))).rejects.toBeInstanceOf(
      DatabaseUnavailableError,
    );
    expect(proxy.connectionCount).toBe(connections);
    unfreeze();
    expect(await unitOfWork.run(() => unitOfWork.executor.query('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  },
);

test('an app rejects database work immediately while the server does not respond, and runs it when the server responds again', async () => {
  const limits = { statementTimeoutMs: 600_000, poolSize: 2, silenceMs: 2_000, probeTimeoutMs: 2_000 };
  const watched = await openCounterApp(limits, proxy.url);
  const unit = new UnitOfWork(watched.dataSource, 'alpha');
  const one = () => unit.executor.query('SELECT 1 AS one');
  expect(await one()).toEqual([{ one: 1 }]);
  freezeAt(/./);
  // There are more requests than connections, so some requests wait for a connection.
  const results = await Promise.allSettled(Array.from({ length: 6 }, one));
  for (const result of results)
    expect(result).toMatchObject({ status: 'rejected', reason: expect.any(DatabaseUnavailableError) as unknown });
  await expect(one()).rejects.toBeInstanceOf(DatabaseUnavailableError);
  expect(await watched.isReachable()).toBe(false);
  unfreeze();
  await waitUntil('the database to be reachable', () => watched.isReachable());
  expect(await unit.run(one)).toEqual([{ one: 1 }]);
  await watched.close();
});

test('a statement that takes longer than the silence limit completes if the server still responds', async () => {
  const limits = { poolSize: 2, silenceMs: 250, probeTimeoutMs: 5_000 };
  const watched = await openCounterApp(limits, proxy.url);
  const unit = new UnitOfWork(watched.dataSource, 'alpha');
  expect(await unit.executor.query('SELECT 1 AS one FROM pg_sleep(2)')).toEqual([{ one: 1 }]);
  await watched.close();
});
