import type { FastifyRequest } from 'fastify';
import type { Environment } from '@family-watch/platform/config/environment';
import { publicUrl } from '@family-watch/platform/http/public-url';

/** Returns the public capability URL for a token. */
export function blobUrl(environment: Environment, request: FastifyRequest, token: string): string {
  return publicUrl(environment, request, `/app-api/mcdisk/blob/${token}`);
}
