import type { FastifyRequest } from 'fastify';
import type { Environment } from '@family-watch/platform/config/environment';
import { publicAddress } from '@family-watch/platform/http/public-address';

/** Where a capability is used. */
export function blobAddress(environment: Environment, request: FastifyRequest, token: string): string {
  return publicAddress(environment, request, `/app-api/mcdisk/blob/${token}`);
}
