import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OperationMetadata } from '@family-watch/platform/http/operation.decorator';
import { allowSlowBody } from '@family-watch/platform/http/request-sequencer';

/**
 * Passes the bodies of the given operations to their handlers without parsing or buffering them, with any Content-Type.
 * All other operations accept only JSON.
 * @param operations ids as passed to `@Operation`
 */
export function acceptRawBodies(fastify: FastifyInstance, operations: readonly string[]): void {
  const isRaw = ({ routeOptions }: FastifyRequest): boolean => {
    const { operation } = routeOptions.config as { operation?: OperationMetadata };
    return operation !== undefined && operations.includes(operation.id);
  };
  fastify.addHook('onRequest', async (request) => {
    if (!isRaw(request)) return;
    allowSlowBody(request.raw);
    // The Content-Type is removed, because the JSON parser would consume a body that is declared as JSON.
    delete request.raw.headers['content-type'];
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

/** Maximum time for which the rest of a rejected body is read, milliseconds. */
const DRAIN_TIMEOUT_MS = 10_000;

/**
 * Reads and discards the rest of a body for a limited time, because many clients do not read the response before they
 * have sent the whole body.
 */
export function drainBody(body: Readable): void {
  if (body.readableEnded || body.destroyed) return;
  const timer = setTimeout(() => body.destroy(), DRAIN_TIMEOUT_MS).unref();
  body.on('error', () => undefined);
  body.once('close', () => clearTimeout(timer));
  body.resume();
}

/** Time that every PUT has in addition to the time for its bytes, milliseconds. */
const BASE_TIMEOUT_MS = 120_000;
/** Minimum accepted upload rate, bytes per millisecond (64 KiB/s). */
const MIN_BYTES_PER_MS = 64;

/** Returns the deadline of a PUT of `bytes` bytes that starts at `now`; both times in Unix milliseconds. */
export function putDeadline(bytes: number, now: number): number {
  return now + BASE_TIMEOUT_MS + Math.ceil(bytes / MIN_BYTES_PER_MS);
}
