import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { needs } from '@family-watch/testing/requirements/needs';
import { programPath } from '@family-watch/testing/requirements/requirements';
import { chromium } from 'playwright-core';
import { installClientPackage } from '@family-watch/testing/process/install-client-package';

const run = promisify(execFile);

const PACKAGE = join(import.meta.dirname, '../..');
const TSC = join(PACKAGE, '../../node_modules/typescript/bin/tsc');

/** Lists the children, expects the error of an unknown child, and prints both. */
const PROGRAM_BODY = `
  const tokens = { get: async () => ({ token: 'T', expiresAt: 0, ttlMs: 0 }), refresh: async () => { throw new Error(); } };
  const client = createClient({ url, tokens });
  const { childList } = await client.children.list();
  const contact = await client.contacts.update({ deviceId: 1, refId: 'r', name: 'Grandma' });
  const error = await client.children.delete({ cid: 'unknown' }).catch((thrown) => thrown);
  const key = await WatchKey.generate();
  const gateway = new GatewayClient({ url, tokens });
  return [childList[0].name, contact.name, error instanceof ApiError, error.reason, key.publicKey.length, typeof gateway.start].join();
`;
const EXPECTED_OUTPUT = 'Mia,Grandma,true,CHILD_NOT_FOUND,43,function';
const NAMES = '{ ApiError, createClient, GatewayClient, WatchKey }';

const TYPED_PROGRAM = `
import { createClient, GatewayClient, ApiError, type DeliveredMessage, type Schema, type TokenSource } from '@family-watch/client';

export async function start(url: string, tokens: TokenSource): Promise<string> {
  const client = createClient({ url, tokens });
  const { childList }: { childList: Schema<'ChildDto'>[] } = await client.children.list();
  const { cid } = await client.children.create(
    { name: 'Mia', phoneNumber: '13812345678', areaCode: '+86', appellation: 'Mama', weight: 30, height: 130 },
    { idempotencyKey: '1' },
  );
  // The response of the family cloud, without its envelope.
  const { cloudContentList } = await client.familyCloud.queryContentList({ cloudID: 'c' });
  // @ts-expect-error a field that the operation does not have
  await client.children.delete({ child: cid });
  // @ts-expect-error the operation is not idempotent
  await client.children.update({ cid }, { idempotencyKey: '1' });
  const gateway = new GatewayClient({ url, tokens });
  gateway.onMessage('ChatTextMessage', ({ payload }: DeliveredMessage<'ChatTextMessage'>) => payload.text.trim());
  gateway.on('closed', (error: ApiError) => error.reason);
  return childList.map(({ name }) => name).concat(String(cloudContentList.length)).join();
}
`;

/** Responds like the service, and serves the files of a project to a browser. */
function startServer(project: string): Promise<Server> {
  const page = `<!doctype html><script type="importmap">{"imports":{
    "@family-watch/client": "/node_modules/@family-watch/client/dist/index.js",
    "socket.io-client": "/node_modules/socket.io-client/dist/socket.io.esm.min.js"
  }}</script><script type="module">
    import ${NAMES} from '@family-watch/client';
    window.start = async (url) => { ${PROGRAM_BODY} };
  </script>`;
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    const respond = (status: number, type: string, body: string | Buffer) =>
      response.writeHead(status, { 'content-type': type }).end(body);
    const json = (status: number, body: object) => respond(status, 'application/json', JSON.stringify(body));
    if (path === '/page') respond(200, 'text/html', page);
    else if (path.startsWith('/node_modules/')) respond(200, 'text/javascript', readFileSync(join(project, path)));
    else if (request.headers.authorization !== 'Bearer T')
      json(401, { code: 401001, message: '', reason: 'TOKEN_INVALID' });
    else if (path.endsWith('/child/get')) json(200, { childList: [{ name: 'Mia' }] });
    else if (path.endsWith('/contacts/update')) json(200, { code: 0, message: 'ok', data: { name: 'Grandma' } });
    else json(404, { code: 404003, message: 'No such child', reason: 'CHILD_NOT_FOUND' });
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

describe('the published package, installed into an empty project', () => {
  let project: string;
  let server: Server;
  let url: string;

  beforeAll(async () => {
    project = mkdtempSync(join(tmpdir(), 'fw-package-'));
    await installClientPackage(project);
    server = await startServer(project);
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => {
    server.close();
    rmSync(project, { recursive: true, force: true });
  });

  const write = (name: string, content: string): string => {
    const path = join(project, name);
    writeFileSync(path, content);
    return path;
  };

  const execute = async (path: string): Promise<string> => {
    const { stdout } = await run(process.execPath, [path, url], { cwd: project });
    return stdout.trim();
  };

  test('contains only its own build, and depends on no private package', async () => {
    const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--dry-run', '--json'], { cwd: PACKAGE });
    const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
    expect(files.map(({ path }) => path).sort()).toEqual([
      'README.md',
      'dist/index.cjs',
      'dist/index.cjs.map',
      'dist/index.d.cts',
      'dist/index.d.ts',
      'dist/index.js',
      'dist/index.js.map',
      'dist/openapi-fetch.LICENSE',
      'package.json',
    ]);
    for (const name of ['index.js', 'index.cjs', 'index.d.ts']) {
      expect(readFileSync(join(PACKAGE, 'dist', name), 'utf8')).not.toMatch(/(from|require\()\s*["']@family-watch\//);
    }
  });

  test('works with import in Node', async () => {
    const path = write(
      'program.mjs',
      `import ${NAMES} from '@family-watch/client';
      const start = async (url) => { ${PROGRAM_BODY} };
      console.log(await start(process.argv[2]));`,
    );
    expect(await execute(path)).toBe(EXPECTED_OUTPUT);
  });

  test('works with require in Node', async () => {
    const path = write(
      'program.cjs',
      `const ${NAMES} = require('@family-watch/client');
      const start = async (url) => { ${PROGRAM_BODY} };
      start(process.argv[2]).then(console.log);`,
    );
    expect(await execute(path)).toBe(EXPECTED_OUTPUT);
  });

  test.each([
    ['node16', 'program.mts'],
    ['node16', 'program.cts'],
    ['bundler', 'program.ts'],
  ])('its types are complete with moduleResolution %s in %s', async (moduleResolution, name) => {
    write(name, TYPED_PROGRAM);
    const module = moduleResolution === 'bundler' ? 'esnext' : 'node16';
    const lib = ['es2022', 'dom', 'dom.iterable'];
    const compilerOptions = { module, moduleResolution, lib, types: [], target: 'es2022', strict: true, noEmit: true };
    write('tsconfig.json', JSON.stringify({ compilerOptions, files: [name] }));
    // Errors of the compiler are on its standard output.
    const { stdout } = await run(process.execPath, [TSC], { cwd: project }).catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(stdout).toBe('');
  });

  needs('chromium').test('works in a browser', async () => {
    const browser = await chromium.launch({
      executablePath: programPath('chromium'),
      args: ['--no-sandbox', '--disable-gpu'],
    });
    try {
      const page = await browser.newPage();
      await page.goto(`${url}/page`);
      await page.waitForFunction('window.start !== undefined');
      expect(await page.evaluate(`window.start(${JSON.stringify(url)})`)).toBe(EXPECTED_OUTPUT);
    } finally {
      await browser.close();
    }
  });
});
