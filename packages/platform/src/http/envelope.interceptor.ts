import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { surfaceOf, type CloudEnvelope, type WrappedEnvelope } from '@family-watch/domain/kernel/contracts/surface';
import { OPERATION_METADATA, type OperationMetadata } from './operation.decorator.js';

/** Wraps a result in the response envelope of the path prefix that the request has (specification 4). */
export class EnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const operation = Reflect.getMetadata(OPERATION_METADATA, context.getHandler()) as OperationMetadata | undefined;
    if (!operation?.hasEnvelope) return next.handle();
    const surface = surfaceOf(context.switchToHttp().getRequest<FastifyRequest>().originalUrl);
    return next.handle().pipe(
      map((data: unknown) => {
        const body = data ?? {};
        if (surface === 'wrapped') return { code: 0, message: 'ok', data: body } satisfies WrappedEnvelope<unknown>;
        if (surface === 'cloud') return { code: 0, data: body, msg: 'ok' } satisfies CloudEnvelope<unknown>;
        return body;
      }),
    );
  }
}
