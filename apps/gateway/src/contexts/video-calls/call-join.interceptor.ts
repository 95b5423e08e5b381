import { Injectable } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { mergeMap } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { CallStatus } from '@family-watch/domain/messages/contracts/video-call';
import type { JoinableCallDto } from '@family-watch/domain/messages/dto/video-call.dto';
import { CallJoinService } from './call-join.service.js';

/**
 * Adds `join` to a call response. The interceptor runs outside `@Idempotent`, which stores responses: a stored response
 * never contains a token. A repeated response gets a fresh token, or no token if the call has ended.
 */
@Injectable()
export class CallJoinInterceptor implements NestInterceptor<CallStatus, JoinableCallDto> {
  constructor(private readonly joins: CallJoinService) {}

  intercept(context: ExecutionContext, next: CallHandler<CallStatus>): Observable<JoinableCallDto> {
    const { principal } = context.switchToHttp().getRequest<{ principal?: Principal }>();
    if (!principal) throw new ServiceError('FORBIDDEN');
    return next
      .handle()
      .pipe(mergeMap(async (call) => ({ ...call, join: await this.joins.find(principal, call.callId) })));
  }
}
