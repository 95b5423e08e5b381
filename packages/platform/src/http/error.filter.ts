import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { Authenticator } from '../auth/authenticator.js';
import { DatabaseUnavailableError } from '../errors/database-errors.js';
import type { AllowedMethods } from './routes.js';
import { errorBody } from './error-response.js';
import { operationOf, operatorAccessOf } from './operation.decorator.js';
import type { OperatorGate } from './operator-gate.js';

/** Error reasons of errors that the framework throws, by their HTTP status. */
const REASON_BY_STATUS: Partial<Record<number, ErrorReason>> = {
  400: 'MALFORMED_REQUEST',
  401: 'TOKEN_MISSING',
  403: 'FORBIDDEN',
  404: 'ROUTE_NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'REQUEST_TIMEOUT',
  413: 'BODY_TOO_LARGE',
  414: 'URI_TOO_LONG',
  415: 'MEDIA_TYPE_UNSUPPORTED',
  416: 'RANGE_NOT_SATISFIABLE',
  429: 'RATE_LIMITED',
  431: 'HEADERS_TOO_LARGE',
  503: 'OVERLOADED',
};

/** Error reasons of errors of Fastify's body parser, by their code. */
const REASON_BY_PARSER_CODE: Readonly<Record<string, ErrorReason>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'MALFORMED_JSON',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'MALFORMED_JSON',
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'MEDIA_TYPE_UNSUPPORTED',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'MALFORMED_REQUEST',
};

/** Maximum number of bytes of a rejected body that are read before the response; the edge rejects longer bodies. */
const MAX_REJECTED_BODY_BYTES = 1024 * 1024;

/**
 * Milliseconds until a caller with too many concurrent requests receives this error. A client that repeats its requests
 * at once over hundreds of connections would otherwise keep the process busy with rejecting them.
 */
const TOO_MANY_REQUESTS_DELAY_MS = { min: 500, max: 1_500 };
/** Maximum number of delayed responses, which occupy memory; others are sent at once. */
const MAX_DELAYED_RESPONSES = 1_000;

/** Converts thrown errors to HTTP responses. */
export class ErrorFilter implements ExceptionFilter {
  private delayedResponses = 0;

  constructor(
    private readonly authenticator: Authenticator,
    private readonly allowedMethods: AllowedMethods,
    private readonly logger: { error(context: object, message: string): void },
    private readonly operatorGate: OperatorGate | undefined,
  ) {}

  async catch(thrown: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    await this.respond(thrown, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  async respond(thrown: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const found = this.preferMethodError(toServiceError(thrown), request, reply);
    const error = await this.preferAuthenticationError(found, request);
    if (error.status === 500) this.logger.error({ err: thrown, requestId: request.id }, 'Request failed');
    const operation = operationOf(request);
    // Other apps, whose calls are no operations, have to respond in time.
    if (operation && error.reason === 'TOO_MANY_CONCURRENT_REQUESTS') await this.delayResponse(request, reply);
    if (reply.sent) return;
    if (error.status === 413) await discardRemainingBody(request.raw);
    if (error.retryAfter !== undefined) void reply.header('retry-after', error.retryAfter);
    const body = operation?.errorFormat?.bodyOf(error) ?? errorBody(error, request.originalUrl);
    await reply.code(error.status).send(body);
  }

  /**
   * Waits, unless the request has already waited for its place. The delays differ, so that the client does not repeat all
   * of its requests at the same time.
   */
  private async delayResponse(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { min, max } = TOO_MANY_REQUESTS_DELAY_MS;
    if (reply.elapsedTime > min || this.delayedResponses >= MAX_DELAYED_RESPONSES) return;
    // The body may be much larger than everything else that is kept meanwhile.
    request.body = undefined;
    this.delayedResponses += 1;
    await sleep(min + Math.random() * (max - min));
    this.delayedResponses -= 1;
  }

  /**
   * Returns METHOD_NOT_ALLOWED instead of ROUTE_NOT_FOUND if the path has operations with other methods, and lists
   * these methods in the header `Allow`.
   */
  private preferMethodError(error: ServiceError, request: FastifyRequest, reply: FastifyReply): ServiceError {
    if (error.reason !== 'ROUTE_NOT_FOUND' || operationOf(request)) return error;
    const methods = this.allowedMethods.of(request.url);
    if (methods.length === 0) return error;
    void reply.header('allow', methods.join(', '));
    return new ServiceError('METHOD_NOT_ALLOWED', { cause: error });
  }

  /**
   * Returns the authentication error, if any, instead of `error`. Fastify parses the body before the guard runs, but a
   * caller without a valid token must receive 401, not 400 (specification 5).
   */
  private async preferAuthenticationError(error: ServiceError, request: FastifyRequest): Promise<ServiceError> {
    const operation = operationOf(request);
    if (!operation || operation.access === 'public' || request.principal || error.status === 401) return error;
    try {
      const authenticator = operatorAccessOf(operation.access) ? this.operatorGate : this.authenticator;
      await authenticator?.authenticate(request.headers.authorization);
      return error;
    } catch (authenticationError) {
      return toServiceError(authenticationError);
    }
  }
}

/**
 * Reads and discards the rest of a rejected body. Fastify closes the connection after rejecting a body; a client that
 * is still sending would receive a connection reset instead of the response (and a proxy would return 502).
 */
async function discardRemainingBody(request: IncomingMessage): Promise<void> {
  if (request.complete || Number(request.headers['content-length']) > MAX_REJECTED_BODY_BYTES) return;
  await new Promise<void>((resolve) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_REJECTED_BODY_BYTES) resolve();
    });
    request.on('end', resolve).on('close', resolve).on('error', resolve);
  });
}

function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (thrown instanceof DatabaseUnavailableError)
    return new ServiceError('DATABASE_UNAVAILABLE', { retryAfter: 2, cause: thrown });
  if (thrown instanceof HttpException) {
    return thrown.cause instanceof Error
      ? toServiceError(thrown.cause)
      : toServiceErrorByStatus(thrown.getStatus(), thrown);
  }
  const { code, statusCode } = (thrown ?? {}) as { code?: unknown; statusCode?: unknown };
  const parserReason = typeof code === 'string' ? REASON_BY_PARSER_CODE[code] : undefined;
  if (parserReason) return new ServiceError(parserReason, { cause: thrown });
  if (thrown instanceof SyntaxError && statusCode === 400) return new ServiceError('MALFORMED_JSON', { cause: thrown });
  return toServiceErrorByStatus(typeof statusCode === 'number' ? statusCode : 500, thrown);
}

function toServiceErrorByStatus(status: number, cause: unknown): ServiceError {
  return new ServiceError(REASON_BY_STATUS[status] ?? (status < 500 ? 'MALFORMED_REQUEST' : 'INTERNAL'), { cause });
}
