import type { IncomingMessage } from 'node:http';
import { HttpException } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { surfaceOf } from '@family-watch/domain/kernel/contracts/surface';
import type { CloudEnvelope, PlainError, WrappedEnvelope } from '@family-watch/domain/kernel/contracts/surface';
import type { Authenticator } from '../auth/authenticator.js';
import { DatabaseUnavailableError } from '../database/database-unavailable.error.js';
import type { OperationMetadata } from './operation.decorator.js';

/** Where a refusal of the HTTP layer itself stands in the catalogue. */
const BY_STATUS: Partial<Record<number, ErrorReason>> = {
  400: 'MALFORMED_REQUEST',
  401: 'TOKEN_MISSING',
  403: 'FORBIDDEN',
  404: 'ROUTE_NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  413: 'BODY_TOO_LARGE',
  414: 'URI_TOO_LONG',
  415: 'MEDIA_TYPE_UNSUPPORTED',
  416: 'RANGE_NOT_SATISFIABLE',
  429: 'RATE_LIMITED',
  503: 'OVERLOADED',
};

const BY_PARSER_CODE: Readonly<Record<string, ErrorReason>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'MALFORMED_JSON',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'MALFORMED_JSON',
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'MEDIA_TYPE_UNSUPPORTED',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'MALFORMED_REQUEST',
};

/** A body that is refused for its size is read to this length before the answer: what the edge lets through. */
const MAX_REFUSED_BODY_BYTES = 1024 * 1024;

/** The one place where a thrown error becomes an HTTP answer. */
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly logger: { error(context: object, message: string): void },
  ) {}

  async catch(thrown: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    await this.respond(thrown, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  async respond(thrown: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const error = await this.inOrder(toServiceError(thrown), request);
    if (error.status === 500) this.logger.error({ err: thrown, requestId: request.id }, 'Request failed');
    if (reply.sent) return;
    if (error.status === 413) await readRest(request.raw);
    if (error.retryAfter !== undefined) void reply.header('retry-after', error.retryAfter);
    const body = operationOf(request)?.errorFormat?.bodyOf(error) ?? errorBody(error, request.originalUrl);
    await reply.code(error.status).send(body);
  }

  /** The body is parsed before the guard runs; a caller without a token must still see 401 before 400 (specification 5). */
  private async inOrder(error: ServiceError, request: FastifyRequest): Promise<ServiceError> {
    const operation = operationOf(request);
    if (!operation || operation.access === 'public' || request.principal || error.status === 401) return error;
    try {
      await this.authenticator.authenticate(request.headers.authorization);
      return error;
    } catch (refusal) {
      return toServiceError(refusal);
    }
  }
}

/**
 * Fastify closes the connection after it has refused a body. Somebody who is still sending gets a reset then instead of
 * the answer (a proxy says 502), so what is left is read and thrown away first.
 */
async function readRest(request: IncomingMessage): Promise<void> {
  if (request.complete || Number(request.headers['content-length']) > MAX_REFUSED_BODY_BYTES) return;
  await new Promise<void>((resolve) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_REFUSED_BODY_BYTES) resolve();
    });
    request.on('end', resolve).on('close', resolve).on('error', resolve);
  });
}

/** Undefined where no route fits. */
function operationOf({ routeOptions }: FastifyRequest): OperationMetadata | undefined {
  return (routeOptions?.config as { operation?: OperationMetadata } | undefined)?.operation;
}

function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (thrown instanceof DatabaseUnavailableError)
    return new ServiceError('DATABASE_UNAVAILABLE', { retryAfter: 2, cause: thrown });
  if (thrown instanceof HttpException) {
    return thrown.cause instanceof Error ? toServiceError(thrown.cause) : byStatus(thrown.getStatus(), thrown);
  }
  const { code, statusCode } = (thrown ?? {}) as { code?: unknown; statusCode?: unknown };
  const parser = typeof code === 'string' ? BY_PARSER_CODE[code] : undefined;
  if (parser) return new ServiceError(parser, { cause: thrown });
  if (thrown instanceof SyntaxError && statusCode === 400) return new ServiceError('MALFORMED_JSON', { cause: thrown });
  return byStatus(typeof statusCode === 'number' ? statusCode : 500, thrown);
}

function byStatus(status: number, cause: unknown): ServiceError {
  return new ServiceError(BY_STATUS[status] ?? (status < 500 ? 'MALFORMED_REQUEST' : 'INTERNAL'), { cause });
}

/** The body of an error in the envelope of the surface that `url` belongs to. */
export function errorBody(error: ServiceError, url: string): PlainError | WrappedEnvelope<null> | CloudEnvelope<null> {
  const { code, message, reason, details } = error;
  const more = { reason, ...(details ? { details } : {}) };
  switch (surfaceOf(url)) {
    case 'wrapped':
      return { code, message, data: null, ...more };
    case 'cloud':
      return { code, data: null, msg: message, ...more };
    default:
      return { code, message, ...more };
  }
}
