import { applyDecorators, Injectable, UseInterceptors } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { Idempotent } from '@family-watch/platform/idempotency/idempotent.decorator';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { CloudAccessService } from './cloud-access.service.js';

/**
 * Waits for the caller's membership before the interceptor for `Idempotency-Key` opens its transaction, which occupies
 * a database connection.
 */
@Injectable()
class MembershipWaitInterceptor implements NestInterceptor {
  constructor(private readonly access: CloudAccessService) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const { headers, body, principal } = context.switchToHttp().getRequest<FastifyRequest>();
    const { cloudID } = (body ?? {}) as { cloudID?: unknown };
    if (headers['idempotency-key'] !== undefined && principal && typeof cloudID === 'string') {
      await this.access.waitForMembership(cloudID, principal);
    }
    return next.handle();
  }
}

/** Like `Idempotent`, for operations that create something in the cloud of the request body. */
export function IdempotentInCloud(): MethodDecorator {
  return applyDecorators(UseInterceptors(MembershipWaitInterceptor), Idempotent(McdiskUnitOfWork));
}
