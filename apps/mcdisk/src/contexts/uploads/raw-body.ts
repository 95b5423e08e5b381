import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OperationMetadata } from '@family-watch/platform/http/operation.decorator';

/**
 * Leaves the bodies of the named operations to their handlers, as they come: whatever their type, and never into
 * memory. All others take JSON only, as before.
 * @param operations ids as `@Operation` gives them
 */
export function acceptRawBodies(fastify: FastifyInstance, operations: readonly string[]): void {
  const isRaw = ({ routeOptions }: FastifyRequest): boolean => {
    const { operation } = routeOptions.config as { operation?: OperationMetadata };
    return operation !== undefined && operations.includes(operation.id);
  };
  fastify.addHook('onRequest', async (request) => {
    // The sender's word about the type decides nothing, and with it the JSON parser would take the bytes.
    if (isRaw(request)) delete request.raw.headers['content-type'];
  });
  fastify.addContentTypeParser('*', (request, _payload, done) => {
    if (isRaw(request)) done(null);
    else done(Object.assign(new Error('Unsupported media type'), { statusCode: 415 }));
  });
}

/** The type that the sender gave: `acceptRawBodies` takes it out of the parsed headers. */
export function sentContentType({ rawHeaders }: IncomingMessage): string | undefined {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type');
  return at === -1 ? undefined : rawHeaders[at + 1];
}

/** How long a refused sender may go on, milliseconds. */
const GRACE_MS = 10_000;

/**
 * Reads and forgets what is left of a body, for a short time: many clients read no answer before they have sent
 * everything, and nobody may send for ever.
 */
export function drainBody(body: Readable): void {
  if (body.readableEnded || body.destroyed) return;
  const timer = setTimeout(() => body.destroy(), GRACE_MS).unref();
  body.on('error', () => undefined);
  body.once('close', () => clearTimeout(timer));
  body.resume();
}
