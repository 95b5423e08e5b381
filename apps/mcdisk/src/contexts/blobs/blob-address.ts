import type { FastifyRequest } from 'fastify';
import type { Environment } from '@family-watch/platform/config/environment';

/** Where a capability is used: under PUBLIC_URL, or where the caller reached the service. */
export function blobAddress(
  { PUBLIC_URL }: Environment,
  request: Pick<FastifyRequest, 'protocol' | 'host'>,
  token: string,
): string {
  const base = PUBLIC_URL?.replace(/\/+$/, '') ?? `${request.protocol}://${request.host}`;
  return `${base}/app-api/mcdisk/blob/${token}`;
}
