import { SURFACE_PREFIXES } from '@family-watch/domain/kernel/contracts/surface';

/** An app that runs as a process of its own. */
export type AppName = 'userctx' | 'mcdisk' | 'gateway';

export interface AddressRule {
  /** Ends with a slash: everything below it. Otherwise this address alone. */
  address: string;
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

const twins: AddressRule[] = [SURFACE_PREFIXES.plain, SURFACE_PREFIXES.wrapped].flatMap((prefix) =>
  Object.entries(OPERATIONS).map(([part, app]) => ({ address: prefix + part, app })),
);

/** Which app serves which address (architecture: "One address"); no rule lies inside another. */
export const ADDRESS_TABLE: readonly AddressRule[] = [
  ...twins,
  { address: '/v1/geolocate', app: 'userctx' },
  { address: '/share/', app: 'userctx' },
  { address: '/.well-known/jwks.json', app: 'userctx' },
  { address: '/socket.io/', app: 'gateway' },
  { address: SURFACE_PREFIXES.cloud, app: 'mcdisk' },
];

/** The only address where a connection may be upgraded to a WebSocket. */
export const SOCKET_ADDRESS = '/socket.io/';

/**
 * @param path - path of a request as it came, without its query; it is compared byte by byte, as the apps do
 * @returns undefined when no app serves it
 */
export function appOf(path: string): AppName | undefined {
  return ADDRESS_TABLE.find(({ address }) => (address.endsWith('/') ? path.startsWith(address) : path === address))
    ?.app;
}
