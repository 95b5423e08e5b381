import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import type { INestApplication } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { GatewayModule } from '@family-watch/gateway/gateway.module';
import { McdiskModule } from '@family-watch/mcdisk/mcdisk.module';
import { ROUTE_TABLE, appForPath, type AppName } from '@family-watch/platform/http/route-table';
import { ConsoleEnvironment } from '@family-watch/platform/config/variables/console.environment';
import { declaredRoutes } from '@family-watch/platform/http/routes';
import { UserctxModule } from '@family-watch/userctx/userctx.module';
import { SURFACE_PREFIXES } from '@family-watch/domain/kernel/contracts/surface';
import {
  ASSET_HEADERS,
  CONSOLE_ASSETS,
  CONSOLE_CONFIG,
  CONSOLE_FILES,
  CONSOLE_MAP,
  CONSOLE_PAGES,
  isUnknownPage,
  PAGE_HEADERS,
  PROGRAM_PATHS,
} from '../../src/console/console-site.js';
import { buildOfflineApp } from '../../src/documents/build-offline-app.js';

const MODULES = { userctx: UserctxModule, mcdisk: McdiskModule, gateway: GatewayModule };
const APPS = Object.keys(MODULES) as AppName[];

describe('the route table', () => {
  let app: INestApplication;

  beforeAll(async () => {
    app = await buildOfflineApp();
  });

  afterAll(() => app.close());

  /** Returns the paths of the controllers of one app. */
  function pathsOf(name: AppName): string[] {
    const [root] = [...app.get(ModulesContainer).values()].filter(({ metatype }) => metatype === MODULES[name]);
    const modules = new Set([root]);
    for (const module of modules) for (const imported of module?.imports ?? []) modules.add(imported);
    const controllers = [...modules].flatMap((module) => [...(module?.controllers.values() ?? [])]);
    return declaredRoutes({ get: () => ({ getControllers: () => controllers }) } as never).map(({ path }) => path);
  }

  test.each(APPS)('maps each route of %s to that app, with both path prefixes', (name) => {
    const paths = pathsOf(name);
    const wrappedPaths = paths
      .filter((path) => path.startsWith(SURFACE_PREFIXES.plain))
      .map((path) => path.replace(SURFACE_PREFIXES.plain, SURFACE_PREFIXES.wrapped));
    for (const path of [...paths, ...wrappedPaths]) expect([path, appForPath(path)]).toEqual([path, name]);
  });

  test('contains each route of the application except the health probes', () => {
    const routePaths = declaredRoutes(app).map(({ path }) => path);
    const appPaths = APPS.flatMap(pathsOf);
    expect(appPaths.length).toBeGreaterThan(50);
    expect(routePaths.filter((path) => !appPaths.includes(path)).sort()).toEqual(['/health/live', '/health/ready']);
  });
});

describe('the nginx edge', () => {
  const config = readFileSync(new URL('../../../../docker/edge/nginx.conf', import.meta.url), 'utf8').replace(
    /#.*/g,
    '',
  );
  const locations = [...config.matchAll(/location\s+(?:([=~^*]+)\s+)?(\S+)\s*\{([^}]*)\}/g)].map(
    ([, modifier = '', pathPrefix = '', body = '']) => ({ modifier, pathPrefix, body }),
  );
  const forwardedLocations = locations.filter(({ body }) => body.includes('proxy_pass'));

  test('forwards exactly the routes of the route table', () => {
    const routes = forwardedLocations.map(({ pathPrefix, body }) => ({
      pathPrefix,
      app: /proxy_pass http:\/\/(\w+);/.exec(body)?.[1],
    }));
    const byPath = (one: { pathPrefix: string }, other: { pathPrefix: string }) =>
      one.pathPrefix < other.pathPrefix ? -1 : 1;
    expect(routes.sort(byPath)).toEqual([...ROUTE_TABLE].sort(byPath));
  });

  test('compares paths without a trailing slash exactly, and uses no regular expressions', () => {
    for (const { modifier, pathPrefix } of forwardedLocations) {
      expect([pathPrefix, modifier]).toEqual([pathPrefix, pathPrefix.endsWith('/') ? '' : '=']);
    }
  });

  test('logs the app to which it forwarded a request', () => {
    for (const { body } of forwardedLocations)
      expect(/set \$app (\w+);/.exec(body)?.[1]).toBe(/http:\/\/(\w+)/.exec(body)?.[1]);
  });

  test('serves the pages of the console, and no others', () => {
    const { pathPrefix } = locations.find(({ body }) => body.includes('rewrite ^ /index.html last')) ?? {};
    expect(pathPrefix).toBe(`^/(?:${CONSOLE_PAGES.map((page) => page.slice(1)).join('|')})(?:/|$)`);
  });

  test('knows the paths of programs, below which no page of the console is shown', () => {
    const [, segments] = /"~\^GET \/\(\?:(.*)\)\[\/ \]"/.exec(config) ?? [];
    expect(segments?.replaceAll('\\', '').split('|')).toEqual(PROGRAM_PATHS);
    for (const { pathPrefix } of ROUTE_TABLE)
      expect([pathPrefix, isUnknownPage(pathPrefix)]).toEqual([pathPrefix, false]);
  });

  test('returns the default configuration of the console', () => {
    const [, text = ''] = /set \$map_config '([^']*)';/.exec(config) ?? [];
    const { MAP_COORDINATES, MAP_PUBLIC_TILES } = new ConsoleEnvironment();
    expect(JSON.parse(text)).toEqual({
      mapStyleUrl: null,
      mapCoordinates: MAP_COORDINATES,
      mapFile: null,
      publicTiles: MAP_PUBLIC_TILES === 'yes',
    });
    for (const path of [CONSOLE_CONFIG, CONSOLE_MAP])
      expect(locations.map(({ pathPrefix }) => pathPrefix)).toContain(path);
  });

  test('standalone has a route for each file of the console', () => {
    const names = readdirSync(new URL('../../../console/public', import.meta.url));
    expect(CONSOLE_FILES).toEqual(names.sort().map((name) => `/${name}`));
  });

  test.each([
    ['/index.html', { ...PAGE_HEADERS, Vary: 'Accept' }],
    // The module that compresses the files adds Accept-Encoding.
    [CONSOLE_ASSETS, { ...ASSET_HEADERS, Vary: undefined }],
  ])('sends %s with the headers of standalone', (path, expected) => {
    const { body = '' } = locations.find(({ pathPrefix }) => pathPrefix === path) ?? {};
    const [, origins = ''] = /set \$map_origins '([^']*)';/.exec(config) ?? [];
    const headers = [...body.matchAll(/add_header (\S+) ("[^"]*"|\S+?)(?: always)?;/g)].map(
      ([, name = '', value = '']) => [name, value.replaceAll('"', '').replaceAll('$map_origins', origins)] as const,
    );
    expect(Object.fromEntries(headers)).toEqual({ ...expected, 'X-Content-Type-Options': 'nosniff' });
  });
});
