import { SURFACE_PREFIXES } from '@family-watch/domain/kernel/contracts/surface';

/** An app that runs as a process of its own. */
export type AppName = 'userctx' | 'mcdisk' | 'gateway';

export interface RouteRule {
  /** Ends with a slash: everything below it. Otherwise this address alone. */
  pathPrefix: string;
  app: AppName;
}

/** Where each part of the two surfaces of `SURFACE_PREFIXES` that are one set of operations lives. */
const OPERATIONS: Readonly<Record<string, AppName>> = {
  'userctx/': 'userctx',
  'payment/': 'userctx',
  'tool/': 'userctx',
  'operator/': 'userctx',
  'message/': 'gateway',
};

const twins: RouteRule[] = [SURFACE_PREFIXES.plain, SURFACE_PREFIXES.wrapped].flatMap((prefix) =>
  Object.entries(OPERATIONS).map(([part, app]) => ({ pathPrefix: prefix + part, app })),
);

/** Which app serves which address (architecture: "One address"); no rule lies inside another. */
export const ROUTE_TABLE: readonly RouteRule[] = [
  ...twins,
  { pathPrefix: '/v1/geolocate', app: 'userctx' },
  { pathPrefix: '/share/', app: 'userctx' },
  { pathPrefix: '/.well-known/jwks.json', app: 'userctx' },
  { pathPrefix: '/socket.io/', app: 'gateway' },
  { pathPrefix: SURFACE_PREFIXES.cloud, app: 'mcdisk' },
];

/** The only address where a connection may be upgraded to a WebSocket. */
export const SOCKET_IO_PATH = '/socket.io/';

/**
 * @param path - path of a request as it came, without its query; it is compared byte by byte, as the apps do
 * @returns undefined when no app serves it
 */
export function appForPath(path: string): AppName | undefined {
  return ROUTE_TABLE.find(({ pathPrefix }) =>
    pathPrefix.endsWith('/') ? path.startsWith(pathPrefix) : path === pathPrefix,
  )?.app;
}
