import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { operationOf } from './operation.decorator.js';

/** Media type under which the bodies of operations with `rawBody` are parsed. Clients cannot use it elsewhere. */
const RAW_BODY_TYPE = 'application/vnd.family-watch.raw';
const MAX_RAW_BODY_BYTES = 64 * 1024;

/**
 * Passes the bodies of operations with `rawBody` to their handlers as a `Buffer` of at most 64 KiB, which contains text
 * in UTF-8. All other operations reject forms, because JSON operations must not be callable from an HTML form.
 */
export function acceptRawCallbackBodies(fastify: FastifyInstance): void {
  const isRaw = (request: FastifyRequest): boolean => operationOf(request)?.rawBody === true;
  fastify.addHook('onRequest', async (request) => {
    if (isRaw(request)) request.raw.headers['content-type'] = RAW_BODY_TYPE;
  });
  const options = { parseAs: 'buffer', bodyLimit: MAX_RAW_BODY_BYTES } as const;
  fastify.addContentTypeParser(RAW_BODY_TYPE, options, (request, body: Buffer, done) => {
    if (!isRaw(request)) done(Object.assign(new Error('Unsupported media type'), { statusCode: 415 }));
    else if (isUtf8(body)) done(null, body);
    else done(new ServiceError('MALFORMED_REQUEST'));
  });
}

/** Returns the bytes of the body; no bytes if the request has no body. */
export function rawBodyOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}
