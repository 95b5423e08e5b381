import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { Client } from 'pg';
import { io } from 'socket.io-client';
import { connectNats } from '@family-watch/event-bus/nats-connection';
import { ROUTE_TABLE } from '@family-watch/platform/http/route-table';
import type { AppName } from '@family-watch/platform/http/route-table';
import { APPS, Deployment, missingTools } from './support/deployment.js';
import { ServiceProcess } from './support/service-process.js';

const ROOT = resolve(import.meta.dirname, '../..');
const FROM_SOURCE = ['--import', join(ROOT, 'packages/testing/jest/load-typescript.mjs')];

let deployment: Deployment;

beforeAll(async () => {
  expect(missingTools()).toEqual([]);
  deployment = await Deployment.start((app, program) => ({
    args: [...FROM_SOURCE, join(ROOT, 'apps', app, 'src', `${program}.ts`)],
    cwd: ROOT,
  }));
});
afterAll(() => deployment.stop());

test('the demo plays through the edge: apps, bus and database may do all they need, and NATS refused nothing', async () => {
  const options = ['--url', deployment.url, '--sms-file', deployment.smsFile, '--speed', '600'];
  const args = [...FROM_SOURCE, join(ROOT, 'apps/simulator/src/main.ts'), ...options];
  const demo = new ServiceProcess({ name: 'demo', file: process.execPath, args, cwd: ROOT });
  expect(await demo.succeeds()).toContain('Nothing was lost.');
  expect(deployment.process('nats').output).not.toMatch(/violation/i);
});

describe('A12: the bus', () => {
  const port = () => deployment.ports.get('nats');
  const open = (app: AppName): Promise<NatsConnection> =>
    connectNats({ url: deployment.secretsOf(app).NATS_URL ?? '', name: 'test' });

  test('refuses who has no name, and who has a wrong password', async () => {
    const address = `127.0.0.1:${port()}`;
    await expect(connect({ servers: address, reconnect: false })).rejects.toThrow(/authorization/i);
    for (const user of APPS) {
      await expect(connect({ servers: address, user, pass: 'family_watch', reconnect: false })).rejects.toThrow(
        /authorization/i,
      );
    }
  });

  /** A refused publication is told asynchronously, on the connection's status. */
  async function isRefused(app: AppName, subject: string): Promise<boolean> {
    const connection = await open(app);
    const refusals: string[] = [];
    const told = (async () => {
      for await (const { type, ...status } of connection.status()) {
        if (type === 'error') refusals.push(JSON.stringify(status) + String((status as { error?: Error }).error));
      }
    })();
    connection.publish(subject, '{}');
    await connection.flush();
    await connection.close();
    await told;
    return refusals.some((refusal) => /permission/i.test(refusal));
  }

  const others = APPS.flatMap((app) => APPS.filter((other) => other !== app).map((other) => [app, other] as const));
  test.each(others)('%s may not publish what %s publishes', async (app, other) => {
    for (const subject of [`fw.events.${other}.3`, `fw.signals.${other}.any`, `fw.signals.relay.${other}`]) {
      expect([subject, await isRefused(app, subject)]).toEqual([subject, true]);
    }
  });

  test.each(['mcdisk', 'gateway'] as const)('%s may not end access, nor vouch that none was ended', async (app) => {
    expect(await isRefused(app, 'fw.revocations')).toBe(true);
    expect(await isRefused(app, 'fw.signals.revocations.tick')).toBe(true);
  });

  test.each(APPS)('%s may publish its own signals, and may not touch the streams', async (app) => {
    expect(await isRefused(app, `fw.signals.${app}.any`)).toBe(false);
    for (const call of [
      'STREAM.DELETE.fw-events',
      'STREAM.PURGE.fw-revocations',
      'STREAM.UPDATE.fw-events',
      'CONSUMER.DELETE.fw-events.gateway-userctx-0',
    ]) {
      expect([call, await isRefused(app, `$JS.API.${call}`)]).toEqual([call, true]);
    }
  });

  test('keeps its streams on disk', async () => {
    const connection = await open('userctx');
    const manager = await jetstreamManager(connection);
    for (const name of ['fw-events', 'fw-revocations']) {
      expect((await manager.streams.info(name)).config.storage).toBe('file');
    }
    await connection.close();
  });
});

describe('A11: the database', () => {
  async function refusal(url: string | undefined, statement: string): Promise<string | undefined> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(statement);
      return undefined;
    } catch (error) {
      return (error as { code?: string }).code;
    } finally {
      await client.end();
    }
  }
  const INSUFFICIENT_PRIVILEGE = '42501';

  test.each(APPS)('the role that %s runs with changes no schema and sees no other', async (app) => {
    const { DATABASE_URL } = deployment.secretsOf(app);
    expect(await refusal(DATABASE_URL, `CREATE TABLE ${app}.planted (id int)`)).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await refusal(DATABASE_URL, 'CREATE SCHEMA planted')).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await refusal(DATABASE_URL, 'CREATE TABLE public.planted (id int)')).toBe(INSUFFICIENT_PRIVILEGE);
    for (const other of APPS.filter((each) => each !== app)) {
      expect(await refusal(DATABASE_URL, `SELECT FROM ${other}.migrations`)).toBe(INSUFFICIENT_PRIVILEGE);
      const { MIGRATION_DATABASE_URL } = deployment.secretsOf(`${app}-owner`);
      expect(await refusal(MIGRATION_DATABASE_URL, `SELECT FROM ${other}.migrations`)).toBe(INSUFFICIENT_PRIVILEGE);
    }
    expect(await refusal(DATABASE_URL, `SELECT FROM ${app}.migrations`)).toBeUndefined();
  });

  test('the maintenance keeps the partitions of positions', async () => {
    const maintenance = deployment.process('maintenance');
    await maintenance.until(() => maintenance.output.includes('Location partition maintenance started'));
    const today = new Date().toISOString().slice(0, 10).replaceAll('-', '_');
    const { DATABASE_URL } = deployment.secretsOf('userctx');
    expect(await refusal(DATABASE_URL, `SELECT FROM userctx.location_point_${today}`)).toBeUndefined();
  });
});

describe('the edge', () => {
  test.each(ROUTE_TABLE.filter(({ pathPrefix }) => pathPrefix !== '/socket.io/'))(
    'passes $address on to $app',
    async ({ pathPrefix }) => {
      const path = pathPrefix.endsWith('/') ? `${pathPrefix}no-such-operation` : pathPrefix;
      const answer = await fetch(deployment.url + path);
      // Only apps give a request an id.
      expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
      expect([200, 401, 404]).toContain(answer.status);
    },
  );

  test.each(['/apis/v2/', '/metrics', '/health/ready', '/%2e%2e/x', '//share/x'])(
    'passes %s on to nobody',
    async (path) => {
      const answer = await fetch(deployment.url + path);
      expect(answer.headers.get('x-request-id')).toBeNull();
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ code: 404001, reason: 'ROUTE_NOT_FOUND' });
    },
  );

  test('opens WebSockets to the gateway', async () => {
    const socket = io(deployment.url, { transports: ['websocket'], reconnection: false, auth: { token: 'none' } });
    const refusal = await new Promise<Error & { data?: { reason?: string } }>((resolve) =>
      socket.on('connect_error', resolve),
    );
    socket.close();
    expect(refusal.data?.reason).toMatch(/^TOKEN_/);
  });

  test('leaves it to the apps to say that a body is too large', async () => {
    const answer = await fetch(`${deployment.url}/apis/v2/userctx/user/account/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ padding: 'x'.repeat(300 * 1024) }),
    });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ reason: 'BODY_TOO_LARGE' });
  });

  test('serves the documents, and writes no address of a request into its log', async () => {
    expect((await fetch(`${deployment.url}/docs`)).status).toBe(200);
    await fetch(`${deployment.url}/share/planted-capability`);
    await fetch(`${deployment.url}/app-api/mcdisk/blob/planted-capability?planted-query`);
    const log = `${readFileSync(deployment.edgeLog, 'utf8')}${deployment.process('edge').output}`;
    expect(log).toContain('GET mcdisk');
    expect(log).not.toContain('planted');
  });

  // Last: it ends an app.
  test('says in each surface’s own words that an app is away', async () => {
    expect(await deployment.process('mcdisk').stop()).toBe(0);
    const answer = await fetch(`${deployment.url}/app-api/mcdisk/blob/x`);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('2');
    expect(await answer.json()).toEqual({ code: 503004, data: null, msg: expect.any(String), reason: 'OVERLOADED' });
  });
});
