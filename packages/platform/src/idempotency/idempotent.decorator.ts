import { createHash } from 'node:crypto';
import { applyDecorators, Inject, UseInterceptors } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor, Type } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { from, lastValueFrom } from 'rxjs';
import type { Observable } from 'rxjs';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import { validationError, ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { OPERATION_METADATA } from '../http/operation.decorator.js';
import type { OperationMetadata } from '../http/operation.decorator.js';
import { IdempotencyKeyRepository } from './idempotency-key.repository.js';

const KEY = /^[\x21-\x7e]{1,128}$/;

/**
 * Takes `Idempotency-Key`: the same key with the same request gives the same answer for 24 hours, with another
 * request 409. Key, work and answer are committed in one unit of work, so a crash leaves all or nothing. Not for
 * operations whose answer carries a token or code: those are never stored.
 */
export function Idempotent(unitOfWork: Type<UnitOfWork>): MethodDecorator {
  return applyDecorators(
    UseInterceptors(interceptorFor(unitOfWork)),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description: 'Any text of 1 to 128 visible ASCII characters; the same one again repeats the answer for 24 h.',
    }),
  );
}

function interceptorFor(token: Type<UnitOfWork>): Type<NestInterceptor> {
  class IdempotencyInterceptor implements NestInterceptor {
    private readonly keys: IdempotencyKeyRepository;

    constructor(@Inject(token) private readonly unitOfWork: UnitOfWork) {
      this.keys = new IdempotencyKeyRepository(unitOfWork);
    }

    intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
      const request = context.switchToHttp().getRequest<FastifyRequest>();
      const key = request.headers['idempotency-key'];
      if (key === undefined) return next.handle();
      if (typeof key !== 'string' || !KEY.test(key)) throw invalidKey();
      const { id } = Reflect.getMetadata(OPERATION_METADATA, context.getHandler()) as OperationMetadata;
      return from(this.once(request, id, key, next));
    }

    private once(request: FastifyRequest, operation: string, key: string, next: CallHandler): Promise<unknown> {
      if (!request.principal) throw new ServiceError('FORBIDDEN');
      const digest = createHash('sha256')
        .update(JSON.stringify(request.body ?? null))
        .digest();
      const use = { principal: principalKey(request.principal), operation, key, digest };
      return this.unitOfWork.run(async () => {
        const before = await this.keys.claim(use);
        if (!before) {
          const answer: unknown = await lastValueFrom(next.handle());
          await this.keys.storeResponse(use, answer);
          return answer;
        }
        if (!before.digest.equals(digest)) throw new ServiceError('IDEMPOTENCY_KEY_REUSED');
        return before.answer;
      });
    }
  }
  return IdempotencyInterceptor;
}

function invalidKey(): ServiceError {
  return validationError('Idempotency-Key', 'matches', 'Idempotency-Key must be 1 to 128 visible ASCII characters');
}
