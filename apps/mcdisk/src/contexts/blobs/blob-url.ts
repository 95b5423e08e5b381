import type { FastifyRequest } from 'fastify';
import type { Environment } from '@family-watch/platform/config/environment';
import { publicUrl } from '@family-watch/platform/http/public-url';

/** Where a capability is used. */
export function blobUrl(environment: Environment, request: FastifyRequest, token: string): string {
  return publicUrl(environment, request, `/app-api/mcdisk/blob/${token}`);
}
