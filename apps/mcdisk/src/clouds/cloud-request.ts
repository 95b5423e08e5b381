import {
  applyDecorators,
  Injectable,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { FAMILY_CATALOG_TYPE, FAMILY_CLOUD_TYPE } from '@family-watch/domain/family-cloud/contracts/content';
import type { FamilyCloudRequestDto, PageInfoDto } from '@family-watch/domain/family-cloud/dto/family-cloud-fields';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import { Idempotent } from '@family-watch/platform/http/idempotency/idempotent.decorator';
import { McdiskUnitOfWork } from '../infrastructure/mcdisk-infrastructure.js';
import { CloudAccessService } from './cloud-access.service.js';

/** @throws ServiceError CLOUD_TYPE_UNSUPPORTED with the name of the field */
export function assertSupportedTypes({ cloudType, catalogType }: FamilyCloudRequestDto): void {
  if ((cloudType ?? FAMILY_CLOUD_TYPE) !== FAMILY_CLOUD_TYPE)
    throw unsupportedTypeError('cloudType', FAMILY_CLOUD_TYPE);
  if ((catalogType ?? FAMILY_CATALOG_TYPE) !== FAMILY_CATALOG_TYPE)
    throw unsupportedTypeError('catalogType', FAMILY_CATALOG_TYPE);
}

function unsupportedTypeError(field: string, supported: number): ServiceError {
  return new ServiceError('CLOUD_TYPE_UNSUPPORTED', {
    details: [{ field, rule: 'supported', message: `${field} must be ${supported}` }],
  });
}

/** Converts a page to limit and offset; pages are numbered from 1. */
export function toLimitOffset(page: PageInfoDto = {}): { limit: number; offset: number } {
  const limit = page.pageSize ?? DEFAULT_PAGE_LIMIT;
  return { limit, offset: ((page.pageNum ?? 1) - 1) * limit };
}

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
