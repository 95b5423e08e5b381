import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OperationMetadata } from '@family-watch/platform/http/operation.decorator';

/**
 * Passes the bodies of the given operations unparsed to their handlers, whatever their type, and does not buffer them.
 * All other operations accept JSON only.
 * @param operations ids as passed to `@Operation`
 */
export function acceptRawBodies(fastify: FastifyInstance, operations: readonly string[]): void {
  const isRaw = ({ routeOptions }: FastifyRequest): boolean => {
    const { operation } = routeOptions.config as { operation?: OperationMetadata };
    return operation !== undefined && operations.includes(operation.id);
  };
  fastify.addHook('onRequest', async (request) => {
    // The declared type has no effect here, and with it the JSON parser would consume the body.
    if (isRaw(request)) delete request.raw.headers['content-type'];
  });
  fastify.addContentTypeParser('*', (request, _payload, done) => {
    if (isRaw(request)) done(null);
    else done(Object.assign(new Error('Unsupported media type'), { statusCode: 415 }));
  });
}

/** Returns the sender's Content-Type, which `acceptRawBodies` removes from the parsed headers. */
export function sentContentType({ rawHeaders }: IncomingMessage): string | undefined {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type');
  return at === -1 ? undefined : rawHeaders[at + 1];
}

/** How long a rejected sender may continue, milliseconds. */
const DRAIN_TIMEOUT_MS = 10_000;

/**
 * Reads and discards the rest of a body for a limited time. Many clients read no response before they have sent
 * everything.
 */
export function drainBody(body: Readable): void {
  if (body.readableEnded || body.destroyed) return;
  const timer = setTimeout(() => body.destroy(), DRAIN_TIMEOUT_MS).unref();
  body.on('error', () => undefined);
  body.once('close', () => clearTimeout(timer));
  body.resume();
}
