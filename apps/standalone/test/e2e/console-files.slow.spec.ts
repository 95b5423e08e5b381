import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { TestService } from '../support/test-service.js';

const CONSOLE_DIST = join(import.meta.dirname, '../../../console/dist');
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'accept-encoding': 'gzip, br' };

describe('the files of the console', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.shared('standalone');
  });

  afterAll(() => service.stop());

  /** Sends a request without the headers that `fetch` adds. */
  async function get(
    path: string,
    headers: Record<string, string> = {},
    method = 'GET',
  ): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: Buffer }> {
    const sent = request(service.url + path, { method, headers, agent: false }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
  }

  const pageOf = async (path: string) => brotliDecompressSync((await get(path, BROWSER)).body).toString();

  test.each(['/', '/sign-in', '/children', '/children/', '/children/some-id/bind?x=1', '/chat/some-id', '/watch'])(
    '%s is the page, which browsers ask for again each time and which runs only its own scripts',
    async (path) => {
      const { status, headers, body } = await get(path, BROWSER);
      expect([status, headers['content-type'], headers['content-encoding']]).toEqual([
        200,
        'text/html; charset=utf-8',
        'br',
      ]);
      expect(headers).toMatchObject({
        'cache-control': 'no-cache',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
      const policy = headers['content-security-policy'];
      for (const rule of ["script-src 'self'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"])
        expect(policy).toContain(`${rule};`.replace("frame-ancestors 'none';", "frame-ancestors 'none'"));
      const page = brotliDecompressSync(body).toString();
      expect(page).toContain('<div id="root">');
      // The policy forbids scripts in the page.
      expect(page).not.toMatch(/<script(?![^>]* src=)|\son\w+=/);
      const again = await get(path, { ...BROWSER, 'if-none-match': headers.etag ?? '' });
      expect([again.status, again.body.length]).toEqual([304, 0]);
    },
  );

  test('its scripts and styles have a digest in their names and are kept by browsers', async () => {
    const assets = [...(await pageOf('/')).matchAll(/(?:src|href)="(\/console-assets\/[^"]+)"/g)];
    expect(assets.length).toBeGreaterThan(1);
    expect(
      readdirSync(join(CONSOLE_DIST, 'console-assets')).filter((name) => name.endsWith('.br')).length,
    ).toBeGreaterThan(5);
    for (const [, path = ''] of assets) {
      expect(path).toMatch(/-[\w-]{8}\.(js|css)$/);
      const { status, headers, body } = await get(path, BROWSER);
      expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
      expect(headers['content-type']).toMatch(/^text\/(javascript|css); charset=utf-8$/);
      expect(headers).toMatchObject({ 'content-encoding': 'br', 'x-content-type-options': 'nosniff' });
      // The file of the build, which is smaller than what the service would compress in time.
      const stored = join(CONSOLE_DIST, `${path}.br`);
      if (existsSync(stored)) expect(body.equals(readFileSync(stored))).toBe(true);
      expect((await get(`${path}.br`, BROWSER)).status).toBe(404);
    }
  });

  test.each(['/children', '/service-worker.js', '/manifest.webmanifest'])(
    '%s is the same in each encoding that the client accepts',
    async (path) => {
      const accept = BROWSER.accept;
      const [plain, gzip, brotli] = await Promise.all(
        ['identity', 'gzip, br;q=0', 'br'].map((encoding) => get(path, { accept, 'accept-encoding': encoding })),
      );
      expect(plain?.headers['content-encoding']).toBeUndefined();
      expect([gzip, brotli].map((response) => response?.headers['content-encoding'])).toEqual(['gzip', 'br']);
      expect(gunzipSync(gzip?.body ?? '').equals(plain?.body ?? Buffer.alloc(0))).toBe(true);
      expect(brotliDecompressSync(brotli?.body ?? '').equals(plain?.body ?? Buffer.alloc(0))).toBe(true);
      expect(new Set([plain, gzip, brotli].map((response) => response?.headers.etag)).size).toBe(3);
    },
  );

  test('/ is the start page for programs', async () => {
    const { headers, body } = await get('/', { accept: '*/*' });
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(headers.vary).toContain('Accept');
    expect(body.toString()).toContain('/docs/openapi.json');
  });

  test.each(['/none', '/childrens', '/none/below?query=1'])(
    '%s is the page of the console with the status 404 for browsers, and an error for programs',
    async (path) => {
      const { status, headers, body } = await get(path, { ...BROWSER, 'if-none-match': '*' });
      expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(headers['content-security-policy']).toContain("script-src 'self';");
      expect(brotliDecompressSync(body).toString()).toContain('<div id="root">');
      const error = await get(path, { accept: 'application/json' });
      expect([error.status, JSON.parse(error.body.toString())]).toEqual([
        404,
        expect.objectContaining({ reason: 'ROUTE_NOT_FOUND' }),
      ]);
      expect(JSON.parse((await get(path, BROWSER, 'POST')).body.toString())).toMatchObject({
        reason: 'ROUTE_NOT_FOUND',
      });
    },
  );

  test.each([
    '/index.html',
    '/console-assets/none.js',
    '/console-assets/none',
    '/console-assets/../index.html',
    '/index.html.br',
    '/apis/v2/none',
    '/app-api/none',
    '/hmd-wx/none',
    '/v1/none',
    '/health/none',
    '/metrics',
  ])('%s is not found', async (path) => {
    const { status, headers, body } = await get(path, BROWSER);
    expect([status, headers['cache-control']]).toEqual([404, undefined]);
    expect(JSON.parse(body.toString())).toMatchObject({ reason: 'ROUTE_NOT_FOUND' });
  });

  test.each(['/', '/children', '/children/x', '/console-assets/none.js'])('%s has no other method', async (path) => {
    const { status, headers } = await get(path, BROWSER, 'POST');
    expect([status, headers.allow]).toEqual([405, 'GET']);
  });

  test('without settings, the maps need no other server, and persons may choose OpenFreeMap', async () => {
    const { status, headers, body } = await get('/console-config.json');
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(JSON.parse(body.toString())).toEqual({
      mapStyleUrl: null,
      mapCoordinates: 'wgs84',
      mapFile: null,
      publicTiles: true,
    });
    const page = await get('/', BROWSER);
    for (const directive of ['connect-src', 'img-src'])
      expect(page.headers['content-security-policy']).toMatch(
        new RegExp(`${directive} 'self' https://tiles\\.openfreemap\\.org[ ;]`),
      );
    expect((await get('/map.pmtiles')).status).toBe(404);
  });

  test('with MAP_STYLE_URL, the page may load maps from the configured origins only', async () => {
    const settings = { MAP_STYLE_URL: 'https://maps.example/style.json?key=1', MAP_ORIGINS: 'https://tiles.example' };
    const own = await TestService.start('standalone', { ...settings, MAP_COORDINATES: 'gcj02' });
    try {
      const config = (await (await fetch(`${own.url}/console-config.json`)).json()) as object;
      expect(config).toEqual({
        mapStyleUrl: settings.MAP_STYLE_URL,
        mapCoordinates: 'gcj02',
        mapFile: null,
        publicTiles: false,
      });
      const policy = (await fetch(own.url, { headers: BROWSER })).headers.get('content-security-policy');
      for (const directive of ['connect-src', 'img-src'])
        expect(policy).toMatch(new RegExp(`${directive} 'self' https://maps\\.example https://tiles\\.example[ ;]`));
      expect(policy).toContain("script-src 'self';");
    } finally {
      await own.stop();
    }
  });

  test('a file of the data directory is the map, of which browsers read ranges, and no other server is allowed', async () => {
    const own = await TestService.start('standalone', {});
    try {
      const config = async () => (await (await fetch(`${own.url}/console-config.json`)).json()) as object;
      expect(await config()).toMatchObject({ mapFile: null, publicTiles: true });
      writeFileSync(join(own.dataDir, 'demo-map.pmtiles'), 'demo');
      expect(await config()).toMatchObject({ mapFile: '/map.pmtiles', publicTiles: true });
      expect(await (await fetch(`${own.url}/map.pmtiles`)).text()).toBe('demo');
      writeFileSync(join(own.dataDir, 'map.pmtiles'), 'PMTiles of an area');
      expect(await config()).toMatchObject({ mapFile: '/map.pmtiles', publicTiles: false });
      const part = await fetch(`${own.url}/map.pmtiles`, { headers: { range: 'bytes=8-9' } });
      expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 8-9/18', 'of']);
      expect(part.headers.get('etag')).toBeTruthy();
      const beyond = await fetch(`${own.url}/map.pmtiles`, { headers: { range: 'bytes=100-' } });
      expect(beyond.status).toBe(416);
      const policy = (await fetch(own.url, { headers: BROWSER })).headers.get('content-security-policy');
      expect(policy).toContain("connect-src 'self';");
    } finally {
      await own.stop();
    }
  });

  test('MAP_PUBLIC_TILES=no allows no other server', async () => {
    const own = await TestService.start('standalone', { MAP_PUBLIC_TILES: 'no' });
    try {
      expect(await (await fetch(`${own.url}/console-config.json`)).json()).toMatchObject({ publicTiles: false });
      const policy = (await fetch(own.url, { headers: BROWSER })).headers.get('content-security-policy');
      expect(policy).toContain("connect-src 'self';");
    } finally {
      await own.stop();
    }
  });
});
