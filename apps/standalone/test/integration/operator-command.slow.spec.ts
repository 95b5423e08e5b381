import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { gatewayDatabase } from '@family-watch/gateway/database/gateway-database';
import { mcdiskDatabase } from '@family-watch/mcdisk/database/mcdisk-database';
import { runOperatorCommand } from '@family-watch/platform/app/operator/operator-command';
import { operatorProgram } from '@family-watch/standalone/operator-program';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { withClient } from '@family-watch/testing/database/test-server';
import { userctxDatabase } from '@family-watch/userctx/database/userctx-database';

type Result = { code: number; lines: string[] };

/** Runs a command of `npm run operator` in this process, with environment variables. */
async function runWith(variables: Readonly<Record<string, string>>, args: readonly string[]): Promise<Result> {
  const environment = process.env;
  process.env = { ...environment, ...variables };
  let output = '';
  const spies = [process.stdout, process.stderr].map((stream) =>
    jest.spyOn(stream, 'write').mockImplementation((text) => (output += String(text)) !== ''),
  );
  try {
    await runOperatorCommand(operatorProgram, args);
    return { code: Number(process.exitCode), lines: output.split('\n').filter(Boolean) };
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.env = environment;
    process.exitCode = undefined;
  }
}

// Other suites run the built program (`runOperatorProgram`), whose start takes most of the time of a command.
describe('npm run operator', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase({ template: [userctxDatabase, mcdiskDatabase, gatewayDatabase] });
  });
  afterAll(() => database.drop());

  const runOperator = (...args: string[]) => runWith({ DATABASE_URL: database.url }, args);

  const query = (sql: string, parameters: unknown[] = []) =>
    withClient(database.adminUrl, async (client) => (await client.query<Record<string, string>>(sql, parameters)).rows);

  async function addDeadLetter(key: string): Promise<string> {
    const event = { id: randomUUID(), name: 'userctx.family.changed', key, time: 0, payload: { secret: 'payload' } };
    const [row] = await query(
      `INSERT INTO gateway.dead_letter (handler, event_id, key, event, attempts, parked_at, last_error)
       VALUES ('gateway.families.store-snapshot', $1, $2, $3, 10, now(), 'Error: rejected') RETURNING id::text`,
      [event.id, key, JSON.stringify(event)],
    );
    return row?.['id'] ?? '';
  }

  async function addRawDeadLetter(): Promise<string> {
    const [row] = await query(
      `INSERT INTO mcdisk.dead_letter (handler, key, attempts, parked_at, last_error, raw)
       VALUES ('-', '', 1, now(), 'Event id is no UUID', '\\xff') RETURNING id::text`,
    );
    return row?.['id'] ?? '';
  }

  test('lists dead letters of all apps without their payload, then replays and drops them', async () => {
    const [first, second, raw] = [await addDeadLetter('f1'), await addDeadLetter('f2'), await addRawDeadLetter()];
    const listed = await runOperator('dead-letters', 'list');
    expect(listed.code).toBe(0);
    expect(listed.lines).toEqual([
      expect.stringMatching(new RegExp(`^mcdisk ${raw} .* raw 1 bytes .* Event id is no UUID$`)),
      expect.stringMatching(new RegExp(`^gateway ${first} .* gateway.families.store-snapshot .* key f1 .* rejected$`)),
      expect.stringMatching(new RegExp(`^gateway ${second} .* key f2 `)),
    ]);
    expect(listed.lines.join()).not.toContain('payload');

    const replayed = await runOperator('dead-letters', 'replay', '--app', 'gateway', first);
    expect(replayed).toEqual({ code: 0, lines: [`${first} moved to the retry queue`] });
    expect(await query('SELECT key, attempts::text FROM gateway.parked')).toEqual([{ key: 'f1', attempts: '0' }]);
    expect((await runOperator('dead-letters', 'replay', '--app', 'gateway', '--all')).lines).toHaveLength(1);
    expect(await query('SELECT FROM gateway.dead_letter')).toEqual([]);

    expect((await runOperator('dead-letters', 'replay', '--app', 'mcdisk', raw)).code).toBe(1);
    expect(await runOperator('dead-letters', 'drop', '--app', 'mcdisk', raw)).toEqual({
      code: 0,
      lines: [`${raw} dropped`],
    });
    expect(await query('SELECT FROM mcdisk.dead_letter')).toEqual([]);
  });

  test('shows the state of the outboxes and publishes events again', async () => {
    await query(
      `INSERT INTO userctx.outbox (id, partition, key, name, time, payload, confirmed_at)
       VALUES ($1, 0, 'f1', 'userctx.family.changed', 1000, '{}', now()), ($2, 0, 'f1', 'userctx.family.changed', 9000, '{}', now())`,
      [randomUUID(), randomUUID()],
    );
    const before = await runOperator('outbox', 'status', '--app', 'userctx', '--json');
    expect(JSON.parse(before.lines[0] ?? '')).toEqual(expect.objectContaining({ app: 'userctx', unpublished: 0 }));
    const since = new Date(5_000).toISOString();
    expect((await runOperator('outbox', 'republish', '--app', 'userctx', '--since', since)).lines).toEqual([
      'userctx publishes 1 events again',
    ]);
    const after = await runOperator('outbox', 'status', '--app', 'userctx');
    expect(after.lines).toEqual([expect.stringMatching(/^userctx {2}unpublished 1 .* dead letters 0$/)]);
  });

  test('sets, lists and retires products', async () => {
    const plan = ['products', 'set', 'plan', '--title', 'Watch plan', '--amount', '500', '--currency', 'EUR'];
    expect(await runOperator(...plan, '--days', '30')).toEqual({ code: 0, lines: ['plan is on sale'] });
    await runOperator(...plan, '--days', '365', '--cloud-gib', '100');
    const invalid = await runOperator(...plan, '--days', '0');
    expect([invalid.code, invalid.lines.join()]).toEqual([
      2,
      expect.stringContaining('--days must not be less than 1'),
    ]);
    expect(await runOperator(...plan, '--days', '30', '--title', '\u200b')).toMatchObject({ code: 2 });
    expect((await runOperator('products', 'list')).lines).toEqual([
      'plan  CLOUD_SPACE  100 GiB  500 EUR (minor unit)  365 days  Watch plan',
    ]);
    expect((await runOperator('products', 'retire', 'plan')).code).toBe(0);
    expect(await runOperator('products', 'retire', 'plan')).toEqual({ code: 1, lines: ['plan is not on sale'] });
    const { lines } = await runOperator('products', 'list', '--json');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ productId: 'plan', retiredAt: expect.any(Number) });
  });

  test('leaves an entry in the audit list for each command, before it acts', async () => {
    const since = Date.now();
    await runOperator('dead-letters', 'list', '--handler', 'gateway.families.store-snapshot');
    await runOperator('dead-letters', 'drop', '--app', 'gateway', '999999', '999998');
    await runOperator('outbox', 'status');
    await runOperator('products', 'retire', 'unknown');
    expect(
      await query(
        `SELECT operation, fields FROM userctx.operator_audit_entry WHERE time >= $1 AND actor = 'command-line'
         ORDER BY operation`,
        [since],
      ),
    ).toEqual([
      { operation: 'dead-letters drop', fields: { app: 'gateway', deadLetterIds: '999999,999998' } },
      { operation: 'dead-letters list', fields: { handler: 'gateway.families.store-snapshot' } },
      { operation: 'outbox status', fields: {} },
      { operation: 'products retire', fields: { productId: 'unknown' } },
    ]);
  });

  test('exits with code 2 and a message for wrong arguments', async () => {
    const messages: [args: string[], message: string][] = [
      [['products', 'burn'], 'npm run operator -- products set'],
      [['dead-letters', 'burn'], 'Unknown command'],
      [['deliveries', 'get'], 'Either --family-id, --user-id or --did is required'],
      [['dead-letters', 'replay', '7'], '--app is required'],
      [['app-releases', 'list', '--channel', 'stable'], '--platform is required'],
      [['app-releases', 'list', '--channel', 'stable', '--platform', 'x'], '--platform must be one of'],
      [
        ['products', 'set', 'plan', '--title', 'Watch plan', '--currency', 'EUR', '--amount', '5'],
        '--days is required',
      ],
      [['watch', 'get'], 'Either --did or --imei is required'],
      [['access-log', 'verify', '--cid', 'x'], 'Child not found'],
    ];
    for (const [args, message] of messages) {
      const { code, lines } = await runWith({ DATABASE_URL: database.url, SECRET_KEY: 'x'.repeat(32) }, args);
      expect([args, code, lines.join('\n')]).toEqual([args, 2, expect.stringContaining(message)]);
      if (!lines.join().includes('npm run')) expect(lines).toHaveLength(1);
    }
  });

  test('says which setting is missing, and creates no database', async () => {
    const dataDir = join(mkdtempSync(join(tmpdir(), 'fw-')), 'data');
    for (const args of [
      ['watch', 'get', '--did', '1'],
      ['dead-letters', 'list'],
    ]) {
      const { code, lines } = await runWith({ DATA_DIR: dataDir }, args);
      expect([code, lines]).toEqual([2, [expect.stringContaining(`There is no database in ${dataDir}. Set DATA_DIR`)]]);
    }
    expect(existsSync(dataDir)).toBe(false);
    const { code, lines } = await runWith({ DATABASE_URL: database.url, DATA_DIR: dataDir }, [
      'watch',
      'get',
      '--did',
      '1',
    ]);
    expect([code, lines]).toEqual([
      2,
      [expect.stringContaining('Set SECRET_KEY to the value of the service, or DATA_DIR')],
    ]);
  });
});

describe('npm run operator -- operators create', () => {
  test('makes the first operator an administrator and requires roles for further operators', async () => {
    // The suite needs a database without operators.
    const database = await createTestDatabase({ template: [userctxDatabase] });
    const create = (SECRET_KEY: string, ...args: string[]) =>
      runWith({ DATABASE_URL: database.url, SECRET_KEY }, ['operators', 'create', ...args]);
    const secretKey = 'the secret of this suite, long enough';
    expect(await create(secretKey, '--name', 'anna')).toMatchObject({ code: 0 });
    expect(await create(secretKey, '--name', 'ben')).toEqual({
      code: 2,
      lines: [expect.stringContaining('--roles is required')],
    });
    expect(await create('another secret, also long enough', '--name', 'ben', '--roles', 'ADMIN')).toMatchObject({
      code: 2,
      lines: expect.arrayContaining([expect.stringContaining('SECRET_KEY is not the one')]),
    });
    const stored = await withClient(database.adminUrl, async (client) => ({
      operators: (await client.query('SELECT login_name, roles FROM userctx.operator_account')).rows,
      entries: (await client.query('SELECT actor, operation, fields FROM userctx.operator_audit_entry ORDER BY time'))
        .rows,
    }));
    expect(stored.operators).toEqual([{ login_name: 'anna', roles: ['ADMIN'] }]);
    expect(stored.entries[0]).toEqual({
      actor: 'command-line',
      operation: 'operators create',
      fields: { loginName: 'anna' },
    });
    await database.drop();
  });
});
