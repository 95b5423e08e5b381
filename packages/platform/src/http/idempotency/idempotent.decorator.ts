import { createHash } from 'node:crypto';
import {
  applyDecorators,
  Inject,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import { validationError, ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { OPERATION_METADATA, type OperationMetadata } from '../operation.decorator.js';
import { IdempotencyKeyRepository } from './idempotency-key.repository.js';

const KEY_PATTERN = /^[\x21-\x7e]{1,128}$/;

/**
 * Supports the `Idempotency-Key` header: the same key with the same request returns the same response for 24 hours; the
 * same key with another request returns 409. Key, changes and response are committed in one transaction, so a crash
 * never leaves only some of them stored. Operations whose response contains a token or code must not use the decorator,
 * because tokens and codes must never be stored.
 */
export function Idempotent(unitOfWork: Type<UnitOfWork>): MethodDecorator {
  return applyDecorators(
    UseInterceptors(createInterceptor(unitOfWork)),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        '1 to 128 visible ASCII characters. A repeated request with the same key returns the same response for 24 hours.',
    }),
  );
}

function createInterceptor(token: Type<UnitOfWork>): Type<NestInterceptor> {
  class IdempotencyInterceptor implements NestInterceptor {
    private readonly keys: IdempotencyKeyRepository;

    constructor(@Inject(token) private readonly unitOfWork: UnitOfWork) {
      this.keys = new IdempotencyKeyRepository(unitOfWork);
    }

    intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
      const request = context.switchToHttp().getRequest<FastifyRequest>();
      const key = request.headers['idempotency-key'];
      if (key === undefined) return next.handle();
      if (typeof key !== 'string' || !KEY_PATTERN.test(key)) throw createInvalidKeyError();
      const { id } = Reflect.getMetadata(OPERATION_METADATA, context.getHandler()) as OperationMetadata;
      return from(this.runOnce(request, id, key, next));
    }

    private runOnce(request: FastifyRequest, operation: string, key: string, next: CallHandler): Promise<unknown> {
      if (!request.principal) throw new ServiceError('FORBIDDEN');
      const digest = createHash('sha256')
        .update(JSON.stringify(request.body ?? null))
        .digest();
      const claimed = { principal: principalKey(request.principal), operation, key, digest };
      return this.unitOfWork.run(async () => {
        const earlier = await this.keys.claim(claimed);
        if (!earlier) {
          const response: unknown = await lastValueFrom(next.handle());
          await this.keys.storeResponse(claimed, response);
          return response;
        }
        if (!earlier.digest.equals(digest)) throw new ServiceError('IDEMPOTENCY_KEY_REUSED');
        return earlier.response;
      });
    }
  }
  return IdempotencyInterceptor;
}

function createInvalidKeyError(): ServiceError {
  return validationError('Idempotency-Key', 'matches', 'Idempotency-Key must be 1 to 128 visible ASCII characters');
}
