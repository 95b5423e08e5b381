import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { errorBody } from './error-response.js';
import { ipBlock } from './ip-block.js';
import type { OperationMetadata } from './operation.decorator.js';
import { PublicAdmission } from './public-admission.js';
import type { RequestLimiter } from './request-limiter.js';

const MEASURE_INTERVAL_MS = 100;

/** One error for all rejected requests: the stack of a new one would cost more than the response. */
const OVERLOADED = new ServiceError('OVERLOADED', { retryAfter: 2 });

/**
 * Limits requests of public operations before their bodies are parsed: per operation and address, so that requests of
 * one kind cannot stop those of another kind behind the same address, and per operation while the process is
 * overloaded. File links are counted by the operations that verify them; health checks have no limit.
 */
export function limitPublicRequests(fastify: FastifyInstance, limiter: RequestLimiter): void {
  const admission = new PublicAdmission();
  const timer = setInterval(() => admission.measure(), MEASURE_INTERVAL_MS).unref();
  fastify.addHook('onClose', (_instance, done) => {
    clearInterval(timer);
    done();
  });
  const rejected = new WeakSet<FastifyRequest>();
  const reject = (error: ServiceError, request: FastifyRequest, reply: FastifyReply): void => {
    rejected.add(request);
    const body = operationOf(request)?.errorFormat?.bodyOf(error) ?? errorBody(error, request.originalUrl);
    void reply.code(error.status).header('retry-after', error.retryAfter).send(body);
  };
  fastify.addHook('onRequest', (request, reply, done) => {
    const operation = operationOf(request);
    if (!isLimited(operation)) return done();
    limiter.consume('address', `${operation.id} ${ipBlock(request.ip)}`, reply).then(
      () => (admission.admits(operation.id) ? done() : reject(OVERLOADED, request, reply)),
      (error: unknown) => (error instanceof ServiceError ? reject(error, request, reply) : done(error as Error)),
    );
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const operation = operationOf(request);
    if (isLimited(operation) && reply.statusCode >= 400 && !rejected.has(request)) admission.countFailure(operation.id);
    done();
  });
}

function isLimited(operation: OperationMetadata | undefined): operation is OperationMetadata {
  return operation?.access === 'public' && operation.limit === undefined;
}

function operationOf({ routeOptions }: FastifyRequest): OperationMetadata | undefined {
  return (routeOptions.config as { operation?: OperationMetadata }).operation;
}
