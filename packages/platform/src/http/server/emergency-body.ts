import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { operationOf } from '../operation.decorator.js';
import { readMembers } from '../readable-members.js';

/** Media type under which the bodies of emergencies are parsed. Clients cannot use it elsewhere. */
const EMERGENCY_TYPE = 'application/vnd.family-watch.emergency';

/**
 * Accepts every body of an operation with `isEmergency`, whatever its media type and also if it ends early: the handler
 * gets the members that can be read. Only the limits of size and time apply.
 */
export function acceptEmergencyBodies(fastify: FastifyInstance, maxBytes: number): void {
  fastify.addHook('onRequest', async (request) => {
    if (!operationOf(request)?.isEmergency) return;
    request.raw.headers['content-type'] = EMERGENCY_TYPE;
    delete request.raw.headers['content-encoding'];
  });
  fastify.addContentTypeParser(EMERGENCY_TYPE, async (request: FastifyRequest, body: Readable) => {
    if (!operationOf(request)?.isEmergency) throw new ServiceError('MEDIA_TYPE_UNSUPPORTED');
    return readMembers(await readText(body, maxBytes));
  });
}

/** @throws ServiceError BODY_TOO_LARGE */
async function readText(body: Readable, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // The response to a body that is too large needs the connection.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new ServiceError('BODY_TOO_LARGE');
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    // The connection has ended before the body.
  }
  return Buffer.concat(chunks).toString();
}
