import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import type { Environment } from '../../config/environment.js';
import { parseList } from '../../config/variables/text-values.js';

/**
 * Returns a function that returns the IP address of the client of a request, like `ip` of Fastify's requests: the
 * rightmost address of X-Forwarded-For that is not in TRUSTED_PROXIES. It is for requests that Fastify does not receive,
 * such as WebSocket handshakes.
 */
export function clientAddressReader({ TRUSTED_PROXIES }: Pick<Environment, 'TRUSTED_PROXIES'>) {
  const trust = proxyAddr.compile(parseList(TRUSTED_PROXIES));
  // The socket of a client that has already closed its connection has no address.
  const addressIn: (request: IncomingMessage, trusted: typeof trust) => string | undefined = proxyAddr;
  return (request: IncomingMessage): string => addressIn(request, trust) ?? '';
}
