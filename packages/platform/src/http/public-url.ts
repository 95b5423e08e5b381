import type { FastifyRequest } from 'fastify';
import type { Environment } from '../config/environment.js';

/** Returns the absolute URL of `path`, based on PUBLIC_URL or on the URL under which the caller reached the service. */
export function publicUrl(
  { PUBLIC_URL }: Pick<Environment, 'PUBLIC_URL'>,
  request: Pick<FastifyRequest, 'protocol' | 'host'>,
  path: string,
): string {
  const base = PUBLIC_URL?.replace(/\/+$/, '') ?? `${request.protocol}://${request.host}`;
  return base + path;
}
