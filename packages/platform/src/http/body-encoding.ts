import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;

/**
 * Rejects bodies that would be misread: those with a content coding (RFC 9110, 8.4), and JSON in another charset than
 * UTF-8 (RFC 8259, 8.1). Without the rejection, a compressed body would be reported as malformed JSON, and other
 * charsets would turn letters into replacement characters.
 */
export function rejectEncodedBodies(fastify: FastifyInstance): void {
  // After all `onRequest` hooks, which remove the Content-Type of bodies that are not parsed.
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    if (request.routeOptions.url === undefined || !hasBody(request)) return done(null, payload);
    const { 'content-encoding': coding, 'content-type': type = '' } = request.headers;
    const charset = CHARSET.exec(type)?.[1]?.toLowerCase();
    const isEncoded = coding !== undefined && coding.trim().toLowerCase() !== 'identity';
    if (isEncoded) void reply.header('accept-encoding', 'identity');
    if (isEncoded || (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8'))
      return done(new ServiceError('MEDIA_TYPE_UNSUPPORTED'));
    done(null, payload);
  });
}

/**
 * Parses the bodies of operations as JSON. Removes `__proto__` and a `constructor` with a prototype, which are unknown
 * fields in every request.
 */
export function acceptJsonBodies(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('remove', 'remove');
  fastify.removeContentTypeParser('application/json');
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    // Without the check, the decoder would replace each byte that is not UTF-8 by U+FFFD (RFC 8259, 8.1).
    if (isUtf8(body)) void parse(request, body.toString(), done);
    else done(new ServiceError('MALFORMED_JSON'));
  });
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
