import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { join, resolve } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { PermissionViolationError, type NatsConnection } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { generateSync } from 'otplib';
import { Client } from 'pg';
import { io } from 'socket.io-client';
import { manufacturerSigningPayload } from '@family-watch/domain/watches/contracts/watch';
import { EVENT_APPS } from '@family-watch/event-bus/event-map';
import { connectNats } from '@family-watch/event-bus/nats-connection';
import { Environment } from '@family-watch/platform/config/environment';
import { ROUTE_TABLE, type AppName } from '@family-watch/platform/http/route-table';
import { needs } from '@family-watch/testing/requirements/needs';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { natsPermissionsFile } from '@family-watch/testing/documents/nats-permissions';
import { expectOk, HttpClient } from '../../apps/standalone/test/support/http-client.js';
import { VALID_CHILD } from '../../apps/standalone/test/support/parent.js';
import { Watch } from '../../apps/standalone/test/support/watch.js';
import { APPS, Deployment, TRUSTED_PROXY_ADDRESS } from './support/deployment.js';
import { ServiceProcess } from './support/service-process.js';

const ROOT = resolve(import.meta.dirname, '../..');

const WEB_PAGE_ORIGIN = 'https://app.example.com';

needs('psql', 'nats-server', 'nginx').describe('the deployment of compose.yml', () => {
  let deployment: Deployment;

  beforeAll(async () => {
    deployment = await Deployment.start(
      (app, program) => ({ args: [join(ROOT, 'apps', app, 'dist', `${program}.js`)], cwd: ROOT }),
      { variables: { CORS_ORIGINS: WEB_PAGE_ORIGIN } },
    );
  });
  afterAll(() => deployment.stop());

  test('the demo succeeds through the edge without a permission violation in NATS', async () => {
    const options = ['--url', deployment.url, '--sms-file', deployment.smsFile, '--speed', '600'];
    const args = [join(ROOT, 'apps/simulator/dist/main.js'), ...options];
    const demo = new ServiceProcess({ name: 'demo', file: process.execPath, args, cwd: ROOT });
    expect(await demo.waitForSuccess()).toContain('All expectations were met.');
    expect(deployment.process('nats').output).not.toMatch(/violation/i);
  });

  test('an operator follows the page for operators from an empty deployment to a bound watch', async () => {
    // The demo needed watches without a manufacturer; from here on, userctx has the setting of production.
    await deployment.restartApp('userctx', { WATCH_ENROLMENT: 'list' });
    const client = (token?: string) => new HttpClient(deployment.url, token);
    const watch = Watch.create(deployment.url);
    const manufacturer = generateKeyPairSync('ed25519');
    const makerKey = manufacturer.publicKey.export({ format: 'jwk' }).x ?? '';
    const list = join(deployment.directory, 'watches.csv');
    writeFileSync(list, `${watch.imei},${makerKey}\n`);

    // Runs the page's commands, with the file and the IMEI of this test.
    const page = readFileSync(join(ROOT, 'docs/operators.md'), 'utf8');
    const commands = [...page.matchAll(/exec (\w+) node apps\/\w+\/dist\/([\w-]+)\.js (.+)$/gm)];
    const run = (beginning: string) => {
      const [, app = '', program = '', text = ''] = commands.find(([, , , args]) => args?.startsWith(beginning)) ?? [];
      const args = text.replace('/tmp/watches.csv', list).replace('490154203237518', watch.imei);
      return deployment.execute(app as AppName, program, args.split(' '));
    };

    const created = await run('operators create');
    const [, loginName] = /Operator (\w+) was created/.exec(created) ?? [];
    const [, password] = / password +(\S+)/.exec(created) ?? [];
    const [, secret = ''] = /otpauth:\S+[?&]secret=(\w+)/.exec(created) ?? [];
    const signIn = { loginName, password, code: generateSync({ secret }) };
    const operator = client(
      (await expectOk(client().post<{ accessToken: string }>('/apis/v2/operator/account/sign-in', signIn))).accessToken,
    );

    const makerSignature = sign(
      null,
      Buffer.from(manufacturerSigningPayload(watch.imei, watch.publicKey)),
      manufacturer.privateKey,
    ).toString('base64url');
    await expect(watch.enrol({ makerSignature })).rejects.toThrow('ENROLMENT_NOT_LISTED');
    expect(await run('enrolment-list import')).toContain('1 ADDED');
    await watch.enrol({ makerSignature });
    expect(await run('watch get')).toContain(`"did":${watch.did}`);

    const [, linkToken] = /#token=(\S+)/.exec(await run('account create')) ?? [];
    const parent = client(
      (await expectOk(client().post<{ accessToken: string }>('account/sign-in', { linkToken }))).accessToken,
    );
    const { cid } = await expectOk(parent.post<{ cid: string }>('child/create', VALID_CHILD));
    await expectOk(parent.post('device/bind', { ...(await watch.createBindCode()), cid }));
    const { items } = await expectOk(
      operator.get<{ items: object[] }>('/apis/v2/operator/watch/get', { did: watch.did }),
    );
    expect(items).toEqual([expect.objectContaining({ did: watch.did, imei: watch.imei })]);
  });

  test('a backup of the running deployment is restored into another database by the owners of the schemas', async () => {
    expect(await deployment.runBackupContainer('backup')).toMatch(/^Backup .* rows, /);
    await deployment.createDatabase('restored');
    const urls = Object.entries(deployment.secretsOf('backup')).map(([name, value]) => [
      name,
      value?.replace('/family_watch', '/restored'),
    ]);
    const target: NodeJS.ProcessEnv = {
      ...(Object.fromEntries(urls) as NodeJS.ProcessEnv),
      DATA_DIR: join(deployment.directory, 'restored'),
    };
    const output = await deployment.runBackupContainer('restore', target);
    expect(output).toContain('Delete the volume nats before the service starts');
    for (const app of APPS) {
      const client = new Client({ connectionString: target[`${app.toUpperCase()}_DATABASE_URL`] });
      await client.connect();
      const { rows } = await client.query<{ isRestored: boolean }>(
        `SELECT obj_description('${app}'::regnamespace) IS NULL AND EXISTS (SELECT FROM ${app}.inbox) AS "isRestored"`,
      );
      await client.end();
      expect([app, rows]).toEqual([app, [{ isRestored: true }]]);
    }
  });

  describe('A12 access to NATS', () => {
    const port = () => deployment.ports.get('nats');
    const open = (user: string): Promise<NatsConnection> =>
      connectNats({
        url: deployment.secretsOf(user === 'setup' ? 'userctx-owner' : user).NATS_URL ?? '',
        name: 'test',
      });

    test('rejects connections without a user and with a wrong password', async () => {
      const address = `127.0.0.1:${port()}`;
      await expect(connect({ servers: address, reconnect: false })).rejects.toThrow(/authorization/i);
      for (const user of APPS) {
        await expect(connect({ servers: address, user, pass: 'family_watch', reconnect: false })).rejects.toThrow(
          /authorization/i,
        );
      }
    });

    /** Returns the calls that NATS denies to the user. NATS reports a denial asynchronously. */
    async function listDenied(user: string, calls: { publish?: string[]; subscribe?: string[] }): Promise<string[]> {
      const connection = await open(user);
      const denied: string[] = [];
      const reading = (async () => {
        for await (const status of connection.status())
          if (status.type === 'error' && status.error instanceof PermissionViolationError)
            denied.push(status.error.subject);
      })();
      for (const subject of calls.publish ?? []) connection.publish(subject, '{}');
      for (const subject of calls.subscribe ?? []) connection.subscribe(subject, { callback: () => undefined });
      await connection.flush();
      await connection.close();
      await reading;
      return denied;
    }

    /** Expects that NATS denies the user all these calls. */
    async function expectDenied(user: string, calls: { publish?: string[]; subscribe?: string[] }): Promise<void> {
      const denied = await listDenied(user, calls);
      expect(denied.toSorted()).toEqual([...(calls.publish ?? []), ...(calls.subscribe ?? [])].toSorted());
    }

    const appPairs = APPS.flatMap((app) => APPS.filter((other) => other !== app).map((other) => [app, other] as const));
    test.each(appPairs)('denies %s to publish on the subjects of %s', async (app, other) => {
      await expectDenied(app, {
        publish: [`fw.events.${other}.3`, `fw.signals.${other}.any`, `fw.signals.relay.${other}`],
      });
    });

    test.each(['mcdisk', 'gateway'] as const)(
      'denies %s to publish revocations and heartbeats of the revocation feed',
      (app) => expectDenied(app, { publish: ['fw.revocations', 'fw.signals.revocations.tick'] }),
    );

    test.each(APPS)(
      'allows %s to publish on its own pub/sub subjects and denies it changes of streams',
      async (app) => {
        expect(await listDenied(app, { publish: [`fw.signals.${app}.any`] })).toEqual([]);
        const changes = [
          'STREAM.DELETE.fw-events',
          'STREAM.PURGE.fw-revocations',
          'STREAM.UPDATE.fw-events',
          'CONSUMER.DELETE.fw-events.gateway-userctx-0',
        ];
        await expectDenied(app, { publish: changes.map((change) => `$JS.API.${change}`) });
      },
    );

    test.each(appPairs)(
      'A40 denies %s to read, acknowledge, change and delete consumers of %s, and to receive its signals',
      (app, other) =>
        expectDenied(app, {
          publish: APPS.map((source) => `fw-events.${other}-${source}-0`).flatMap((consumer) => [
            `$JS.API.CONSUMER.INFO.${consumer}`,
            `$JS.API.CONSUMER.MSG.NEXT.${consumer}`,
            `$JS.ACK.${consumer}.1.1.1.1700000000000000000.0`,
            `$JS.API.CONSUMER.CREATE.${consumer}`,
            `$JS.API.CONSUMER.CREATE.${consumer}.fw.events.userctx.0`,
            `$JS.API.CONSUMER.DURABLE.CREATE.${consumer}`,
            `$JS.API.CONSUMER.DELETE.${consumer}`,
            `$JS.API.CONSUMER.PAUSE.${consumer}`,
            `$JS.API.CONSUMER.LEADER.STEPDOWN.${consumer}`,
          ]),
          subscribe: [`fw.signals.${other}.any`, `fw.signals.relay.${other}`, `_INBOX_${other}.>`],
        }),
    );

    test.each(APPS)('A40 denies %s to create consumers and streams, and to read or change streams', (app) =>
      expectDenied(app, {
        publish: ['fw-events', 'fw-revocations'].flatMap((stream) => [
          `$JS.API.CONSUMER.CREATE.${stream}`,
          `$JS.API.CONSUMER.CREATE.${stream}.any`,
          `$JS.API.CONSUMER.CREATE.${stream}.${app}-userctx-0.fw.events.userctx.0`,
          `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.${app}-userctx-0`,
          `$JS.API.CONSUMER.DELETE.${stream}.${app}-userctx-0`,
          `$JS.API.CONSUMER.NAMES.${stream}`,
          `$JS.API.CONSUMER.LIST.${stream}`,
          `$JS.API.STREAM.CREATE.${stream}`,
          `$JS.API.STREAM.UPDATE.${stream}`,
          `$JS.API.STREAM.DELETE.${stream}`,
          `$JS.API.STREAM.PURGE.${stream}`,
          `$JS.API.STREAM.MSG.DELETE.${stream}`,
          `$JS.API.STREAM.SNAPSHOT.${stream}`,
          `$JS.API.STREAM.RESTORE.${stream}`,
          `$JS.API.STREAM.PEER.REMOVE.${stream}`,
          `$JS.API.STREAM.LEADER.STEPDOWN.${stream}`,
          `$JS.API.DIRECT.GET.${stream}`,
          `$JS.API.DIRECT.GET.${stream}.fw.revocations`,
          ...(stream === 'fw-events' ? [`$JS.API.STREAM.MSG.GET.${stream}`] : []),
        ]),
        subscribe: ['>', 'fw.events.>', 'fw.signals.>', '_INBOX.>', '$JS.EVENT.ADVISORY.>', '$JS.API.>', '$JS.ACK.>'],
      }),
    );

    test.each(APPS)('A40 allows %s to use its own consumers and signals, and to read the revocations', async (app) => {
      const consumers = APPS.flatMap((source) => [`fw-events.${app}-${source}-0`, `fw-events.${app}-${source}-15`]);
      const publish = [
        ...consumers.map((consumer) => `$JS.API.CONSUMER.INFO.${consumer}`),
        `fw.signals.${app}.any`,
        '$JS.API.STREAM.INFO.fw-revocations',
        '$JS.API.STREAM.MSG.GET.fw-revocations',
      ];
      expect(await listDenied(app, { publish, subscribe: ['fw.revocations', 'fw.signals.revocations.tick'] })).toEqual(
        [],
      );
    });

    test('A40 denies the user setup to read, acknowledge and delete messages, and to publish events', () =>
      expectDenied('setup', {
        publish: [
          'fw.events.userctx.3',
          'fw.revocations',
          'fw.signals.revocations.tick',
          '$JS.API.CONSUMER.MSG.NEXT.fw-events.gateway-userctx-0',
          '$JS.ACK.fw-events.gateway-userctx-0.1.1.1.1700000000000000000.0',
          '$JS.API.CONSUMER.DELETE.fw-events.gateway-userctx-0',
          '$JS.API.STREAM.MSG.GET.fw-events',
          '$JS.API.STREAM.DELETE.fw-events',
          '$JS.API.STREAM.PURGE.fw-events',
        ],
        subscribe: ['>', 'fw.events.>', 'fw.revocations', '_INBOX_userctx.>'],
      }));

    test('A40 an app cannot create a consumer that writes into the revocation stream', async () => {
      const gateway = await open('gateway');
      const manager = await jetstreamManager(gateway);
      const { state: before } = await manager.streams.info('fw-revocations');
      const consumer = { deliver_subject: 'fw.revocations', filter_subject: 'fw.events.gateway.0' };
      const denied = expect.objectContaining({ cause: expect.any(PermissionViolationError) });
      await expect(manager.consumers.add('fw-events', consumer)).rejects.toEqual(denied);
      await expect(
        manager.consumers.update('fw-events', 'gateway-gateway-0', { filter_subject: 'fw.events.userctx.0' }),
      ).rejects.toEqual(denied);
      const { state: after } = await manager.streams.info('fw-revocations');
      await gateway.close();
      expect(after.messages).toBe(before.messages);
    });

    test('A40 the permissions name exactly the consumers that exist', async () => {
      const lists = EVENT_APPS.map((app) => readFileSync(join(ROOT, `docker/nats/permissions/${app}.conf`), 'utf8'));
      expect(lists).toEqual(EVENT_APPS.map(natsPermissionsFile));
      const named = lists.flatMap((text) =>
        [...text.matchAll(/MSG\.NEXT\.fw-events\.([\w-]+)/g)].map(([, name]) => name),
      );
      const connection = await open('setup');
      const manager = await jetstreamManager(connection);
      const { state } = await manager.streams.info('fw-events');
      for (const name of named) await manager.consumers.info('fw-events', name ?? '');
      await connection.close();
      expect(new Set(named).size).toBe(state.consumer_count);
    });

    test('apps without their streams and consumers name what is missing, and the maintenance creates it again', async () => {
      await deployment.process('maintenance').stop();
      await deployment.loseNatsData();
      const userctx = deployment.process('userctx');
      await userctx.waitFor(() =>
        /NATS has no (stream|consumer) [\w-]+, and this user may not create it/.test(userctx.output),
      );
      // Like every process, an app that starts now prints one line.
      const start = deployment.execute('mcdisk', 'main', []);
      await expect(start).rejects.toThrow(
        /:\nNATS has no stream fw-events, and this user may not create it\. Run [^\n]+\n$/,
      );
      deployment.startMaintenance();
      const connection = await open('setup');
      const manager = await jetstreamManager(connection);
      await waitUntil('all consumers exist', async () => {
        const info = await manager.streams.info('fw-events').catch(() => undefined);
        return info?.state.consumer_count === 9 * 16;
      });
      await connection.close();
      for (const app of APPS) await deployment.waitForReady(app);
    });

    test('the streams are stored on disk', async () => {
      const connection = await open('userctx');
      const manager = await jetstreamManager(connection);
      for (const name of ['fw-events', 'fw-revocations']) {
        expect((await manager.streams.info(name)).config.storage).toBe('file');
      }
      await connection.close();
    });
  });

  describe('access to the database', () => {
    async function errorCodeOf(url: string | undefined, statement: string): Promise<string | undefined> {
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

    test.each(APPS)('denies DDL and other schemas to the runtime role of %s', async (app) => {
      const { DATABASE_URL } = deployment.secretsOf(app);
      expect(await errorCodeOf(DATABASE_URL, `CREATE TABLE ${app}.planted (id int)`)).toBe(INSUFFICIENT_PRIVILEGE);
      expect(await errorCodeOf(DATABASE_URL, 'CREATE SCHEMA planted')).toBe(INSUFFICIENT_PRIVILEGE);
      expect(await errorCodeOf(DATABASE_URL, 'CREATE TABLE public.planted (id int)')).toBe(INSUFFICIENT_PRIVILEGE);
      for (const other of APPS.filter((each) => each !== app)) {
        expect(await errorCodeOf(DATABASE_URL, `SELECT FROM ${other}.migrations`)).toBe(INSUFFICIENT_PRIVILEGE);
        const { MIGRATION_DATABASE_URL } = deployment.secretsOf(`${app}-owner`);
        expect(await errorCodeOf(MIGRATION_DATABASE_URL, `SELECT FROM ${other}.migrations`)).toBe(
          INSUFFICIENT_PRIVILEGE,
        );
      }
      expect(await errorCodeOf(DATABASE_URL, `SELECT FROM ${app}.migrations`)).toBeUndefined();
    });

    test('maintenance creates the partitions of location points', async () => {
      const maintenance = deployment.process('maintenance');
      await maintenance.waitFor(() => maintenance.output.includes('Maintenance started'));
      const today = new Date().toISOString().slice(0, 10).replaceAll('-', '_');
      const { DATABASE_URL } = deployment.secretsOf('userctx');
      expect(await errorCodeOf(DATABASE_URL, `SELECT FROM userctx.location_point_${today}`)).toBeUndefined();
    });
  });

  describe('the edge', () => {
    test.each(ROUTE_TABLE.filter(({ pathPrefix }) => pathPrefix !== '/socket.io/'))(
      'routes $pathPrefix to $app',
      async ({ pathPrefix }) => {
        const path = pathPrefix.endsWith('/') ? `${pathPrefix}no-such-operation` : pathPrefix;
        const response = await fetch(deployment.url + path);
        // Only apps set the header `x-request-id`; the edge does not.
        expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
        // The app returns 405 if the operation of the path has another method than GET.
        expect([200, 401, 404, 405]).toContain(response.status);
      },
    );

    test.each(['/apis/v2/', '/metrics', '/health/ready', '/%2e%2e/x', '//share/x'])(
      'routes %s to no app',
      async (path) => {
        const response = await fetch(deployment.url + path);
        expect(response.headers.get('x-request-id')).toBeNull();
        expect(response.status).toBe(404);
        expect(await response.json()).toMatchObject({ code: 404001, reason: 'ROUTE_NOT_FOUND' });
      },
    );

    test('responds 405 to another method than GET for its health check, and passes 405 of the apps on', async () => {
      const health = await fetch(`${deployment.url}/health/live`, { method: 'POST' });
      expect([health.status, health.headers.get('allow')]).toEqual([405, 'GET']);
      const operation = await fetch(`${deployment.url}/apis/v2/userctx/user/child/create`);
      expect([operation.status, operation.headers.get('allow')]).toEqual([405, 'POST']);
    });

    test.each(['/apis/v2/userctx/user/child/get', '/app-api/mcdisk/upload/x', '/socket.io/'])(
      'passes preflight requests for %s on',
      async (path) => {
        const headers = { origin: WEB_PAGE_ORIGIN, 'access-control-request-method': 'GET' };
        const response = await fetch(deployment.url + path, { method: 'OPTIONS', headers });
        expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([204, WEB_PAGE_ORIGIN]);
      },
    );

    test('proxies WebSockets to the gateway', async () => {
      const socket = io(deployment.url, { transports: ['websocket'], reconnection: false, auth: { token: 'none' } });
      const error = await new Promise<Error & { data?: { reason?: string } }>((resolve) =>
        socket.on('connect_error', resolve),
      );
      socket.close();
      expect(error.data?.reason).toMatch(/^TOKEN_/);
    });

    test('forwards bodies that are too large, so that the app returns 413', async () => {
      const response = await fetch(`${deployment.url}/apis/v2/userctx/user/account/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ padding: 'x'.repeat(300 * 1024) }),
      });
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({ reason: 'BODY_TOO_LARGE' });
    });

    /** Requests an SMS code from a local address, for a client that the X-Forwarded-For header names. */
    async function statusOfCodeRequest(
      localAddress: string,
      client: string,
      index: number,
    ): Promise<number | undefined> {
      const body = JSON.stringify({ areaCode: '+86', phoneNumber: `1380013${8_000 + index}`, scene: 'SIGN_IN' });
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': client };
      const url = `${deployment.url}/apis/v2/userctx/user/account/sms-code/send`;
      const sent = request(url, { method: 'POST', localAddress, headers }).end(body);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    }

    test('limits count the clients of a trusted proxy, and other peers cannot choose their address', async () => {
      const count = new Environment().RATE_LIMIT_SMS_PREFIX + 1;
      const statusesFrom = (localAddress: string, firstIndex: number) =>
        Promise.all(
          Array.from({ length: count }, (_, index) =>
            statusOfCodeRequest(localAddress, `203.0.113.${index}`, firstIndex + index),
          ),
        );
      expect(new Set(await statusesFrom(TRUSTED_PROXY_ADDRESS, 0))).toEqual(new Set([200]));
      expect((await statusesFrom('127.0.0.3', count)).filter((status) => status === 429)).toHaveLength(1);
    });

    test.each(['/', '/children', '/chat/some-id'])('serves the page of the console at %s, compressed', async (path) => {
      const response = await fetch(deployment.url + path, { headers: { accept: 'text/html' } });
      expect(response.headers.get('content-encoding')).toBe('gzip');
      expect(response.headers.get('cache-control')).toBe('no-cache');
      expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
      const [, script] = /src="(\/console-assets\/[^"]+\.js)"/.exec(await response.text()) ?? [];
      const asset = await fetch(`${deployment.url}${script}`);
      expect([asset.status, asset.headers.get('content-encoding')]).toEqual([200, 'gzip']);
      expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    });

    test('serves the page of the console with 404 at unknown paths of people, at no path of programs or other method', async () => {
      for (const path of ['/index.html', '/index.html.gz', '/console-assets/none.js', '/apis/v2/none', '/metrics']) {
        const response = await fetch(deployment.url + path, { headers: { accept: 'text/html' } });
        expect([path, response.status, response.headers.get('cache-control')]).toEqual([path, 404, null]);
        expect(await response.json()).toMatchObject({ reason: 'ROUTE_NOT_FOUND' });
      }
      const unknown = await fetch(`${deployment.url}/childrens`, { headers: { accept: 'text/html' } });
      expect([unknown.status, unknown.headers.get('content-type')]).toEqual([
        404,
        expect.stringContaining('text/html'),
      ]);
      expect(unknown.headers.get('content-security-policy')).toContain("script-src 'self'");
      expect(await unknown.text()).toContain('<div id="root">');
      for (const path of ['/', '/children']) {
        const response = await fetch(deployment.url + path, { method: 'POST', headers: { accept: 'text/html' } });
        expect([path, response.status]).toEqual([path, 405]);
      }
      const text = await fetch(deployment.url, { headers: { accept: '*/*' } });
      expect([text.status, text.headers.get('content-type')]).toEqual([404, 'application/json']);
    });

    test('serves the API documents and logs no request URLs', async () => {
      expect((await fetch(`${deployment.url}/docs`)).status).toBe(200);
      await fetch(`${deployment.url}/share/planted-capability`);
      await fetch(`${deployment.url}/app-api/mcdisk/blob/planted-capability?planted-query`);
      const log = `${readFileSync(deployment.edgeLog, 'utf8')}${deployment.process('edge').output}`;
      expect(log).toContain('GET mcdisk');
      expect(log).not.toContain('planted');
    });

    // The test of an unavailable app must be the last test, because it stops an app.
    test('returns 503 in the error format of the requested API surface when the app is unavailable', async () => {
      expect(await deployment.process('mcdisk').stop()).toBe(0);
      const response = await fetch(`${deployment.url}/app-api/mcdisk/blob/x`);
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('2');
      expect(await response.json()).toEqual({
        code: 503004,
        data: null,
        msg: expect.any(String),
        reason: 'OVERLOADED',
      });
    });
  });
});
