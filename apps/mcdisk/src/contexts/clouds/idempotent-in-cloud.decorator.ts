import { applyDecorators, Injectable, UseInterceptors } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { Idempotent } from '@family-watch/platform/idempotency/idempotent.decorator';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { CloudAccessService } from './cloud-access.service.js';

/** Waits for a family's news before the unit of work of an `Idempotency-Key` takes a connection, and not in it. */
@Injectable()
class ArrivalInterceptor implements NestInterceptor {
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

/** As `Idempotent`, for what is made in the cloud that the body names. */
export function IdempotentInCloud(): MethodDecorator {
  return applyDecorators(UseInterceptors(ArrivalInterceptor), Idempotent(McdiskUnitOfWork));
}
