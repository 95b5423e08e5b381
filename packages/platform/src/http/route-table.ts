import { SURFACE_PREFIXES } from '@family-watch/domain/kernel/contracts/surface';

/** An app that can run as a separate process. */
export type AppName = 'userctx' | 'mcdisk' | 'gateway';

export interface RouteRule {
  /**
   * A prefix with a trailing slash matches all paths that begin with the prefix; a prefix without a trailing slash
   * matches only itself.
   */
  pathPrefix: string;
  app: AppName;
}

/**
 * Apps by the path segment after the prefix, for the two surfaces of `SURFACE_PREFIXES` that share one set of
 * operations.
 */
const APP_BY_SEGMENT: Readonly<Record<string, AppName>> = {
  'tool/video-token/': 'gateway',
  'userctx/': 'userctx',
  'payment/': 'userctx',
  'tool/': 'userctx',
  'operator/': 'userctx',
  'message/': 'gateway',
};

const operationRules: RouteRule[] = [SURFACE_PREFIXES.plain, SURFACE_PREFIXES.wrapped].flatMap((prefix) =>
  Object.entries(APP_BY_SEGMENT).map(([segment, app]) => ({ pathPrefix: prefix + segment, app })),
);

/**
 * The app that serves each path (see "One address" in the architecture document). If several rules match, the longest
 * applies, as in nginx; a longer rule precedes its prefixes.
 */
export const ROUTE_TABLE: readonly RouteRule[] = [
  ...operationRules,
  { pathPrefix: '/v1/geolocate', app: 'userctx' },
  { pathPrefix: '/share/', app: 'userctx' },
  { pathPrefix: '/.well-known/jwks.json', app: 'userctx' },
  { pathPrefix: '/socket.io/', app: 'gateway' },
  { pathPrefix: SURFACE_PREFIXES.cloud, app: 'mcdisk' },
];

/** The only path on which a connection may be upgraded to a WebSocket. */
export const SOCKET_IO_PATH = '/socket.io/';

/**
 * Returns the app that serves a path, or undefined if no app serves it.
 *
 * @param path - path of a request as received, without the query; compared byte by byte, like in the apps' routers
 */
export function appForPath(path: string): AppName | undefined {
  return ROUTE_TABLE.find(({ pathPrefix }) =>
    pathPrefix.endsWith('/') ? path.startsWith(pathPrefix) : path === pathPrefix,
  )?.app;
}
