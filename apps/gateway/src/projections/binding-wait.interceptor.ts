import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { FamilyLookupService } from './family-lookup.service.js';

/**
 * Lets the requests of a watch wait until its binding is known. Declared on the class of a controller, so that the
 * interceptor for `Idempotency-Key`, which opens a transaction, runs after the wait.
 */
@Injectable()
export class BindingWaitInterceptor implements NestInterceptor {
  constructor(private readonly families: FamilyLookupService) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const { principal } = context.switchToHttp().getRequest<{ principal?: Principal }>();
    if (principal?.type === 'watch') await this.families.waitForBinding(Number(principal.id));
    return next.handle();
  }
}
