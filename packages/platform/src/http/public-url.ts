import type { FastifyRequest } from 'fastify';
import type { Environment } from '../config/environment.js';

export type PublicUrlSettings = Pick<Environment, 'PUBLIC_URL' | 'PUBLIC_HOSTS'>;
export type ReceivedRequest = Pick<FastifyRequest, 'protocol' | 'host' | 'socket'>;

/**
 * Returns the absolute URL of `path`. The base of the URL is the host of the request if PUBLIC_HOSTS lists this host,
 * otherwise PUBLIC_URL, otherwise the IP address and port at which the service received the request. An unlisted Host
 * header is never copied, because the sender of the header could then direct uploads of other clients to its own host.
 */
export function publicUrl(settings: PublicUrlSettings, request: ReceivedRequest, path: string): string {
  const { PUBLIC_URL, PUBLIC_HOSTS = '' } = settings;
  const host = request.host.toLowerCase();
  const isListed = PUBLIC_HOSTS.toLowerCase().split(/,\s*/).includes(host) && host !== '';
  if (isListed) return `${request.protocol}://${host}${path}`;
  return (PUBLIC_URL?.replace(/\/+$/, '') ?? `${request.protocol}://${localAddress(request)}`) + path;
}

function localAddress({ socket: { localAddress: address = '127.0.0.1', localPort } }: ReceivedRequest): string {
  const plain = address.replace(/^::ffff:/, '');
  return `${plain.includes(':') ? `[${plain}]` : plain}:${localPort}`;
}
