import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OperationMetadata } from '@family-watch/platform/http/operation.decorator';

/** Media type by which the parser of unchanged bodies is selected; the sender's own type is not needed. */
const RAW_MEDIA_TYPE = 'application/vnd.family-watch.raw';

/**
 * Passes the bodies of the given operations to their handlers as the received bytes, with any Content-Type: providers
 * sign these bytes, and some send forms. All other operations accept only JSON.
 * @param operations ids as passed to `@Operation`
 */
export function keepRawBodies(fastify: FastifyInstance, operations: readonly string[]): void {
  const isRaw = ({ routeOptions }: FastifyRequest): boolean => {
    const { operation } = routeOptions.config as { operation?: OperationMetadata };
    return operation !== undefined && operations.includes(operation.id);
  };
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (isRaw(request)) request.raw.headers['content-type'] = RAW_MEDIA_TYPE;
    done();
  });
  fastify.addContentTypeParser(RAW_MEDIA_TYPE, { parseAs: 'buffer' }, (request, body, done) => {
    if (isRaw(request)) done(null, body);
    else done(Object.assign(new Error('Unsupported media type'), { statusCode: 415 }));
  });
}

/** Returns the bytes of the body; no bytes if the request has no body. */
export function rawBodyOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}
