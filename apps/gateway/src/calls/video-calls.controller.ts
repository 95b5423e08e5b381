import {
  Body,
  Controller,
  Get,
  Injectable,
  Post,
  Query,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { mergeMap, type Observable } from 'rxjs';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import {
  CallJoinDto,
  CallLogPageDto,
  CallStatusDto,
  CreateVideoCallDto,
  JoinableCallDto,
  ListVideoCallsDto,
  SignalVideoCallDto,
  VideoCallReferenceDto,
} from '@family-watch/domain/messages/dto/video-call.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { Idempotent } from '@family-watch/platform/http/idempotency/idempotent.decorator';
import { GatewayUnitOfWork } from '../infrastructure/gateway-infrastructure.js';
import { BindingWaitInterceptor } from '../projections/binding-wait.interceptor.js';
import { CallLogService } from './call-log.service.js';
import { VideoCallsService } from './video-calls.service.js';

const USER_AND_WATCH = ['user', 'watch'] as const;

/**
 * Adds `join`, the media credentials, to the response of a call operation. The interceptor runs outside `@Idempotent`,
 * which stores responses: a stored response never contains a token. A repeated response gets a fresh token, or no token
 * if the call has ended.
 */
@Injectable()
class CallJoinInterceptor implements NestInterceptor<CallStatusDto, JoinableCallDto> {
  constructor(private readonly calls: VideoCallsService) {}

  intercept(context: ExecutionContext, next: CallHandler<CallStatusDto>): Observable<JoinableCallDto> {
    const { principal } = context.switchToHttp().getRequest<{ principal?: Principal }>();
    if (!principal) throw new ServiceError('FORBIDDEN');
    return next
      .handle()
      .pipe(mergeMap(async (call) => ({ ...call, join: await this.calls.findJoin(principal, call.callId) })));
  }
}

/** Video calls between a member of the family and a child's watch. */
@ApiTags('Video calls')
@Controller('apis/v2/message/video-call')
@UseInterceptors(BindingWaitInterceptor)
export class VideoCallsController {
  constructor(
    private readonly calls: VideoCallsService,
    private readonly callLog: CallLogService,
  ) {}

  @Post('create')
  @Idempotent(GatewayUnitOfWork)
  // Declared after `@Idempotent`, so that this interceptor runs outside `@Idempotent`, which must not store the token
  // that the interceptor adds.
  @UseInterceptors(CallJoinInterceptor)
  @Operation({
    id: 'createVideoCall',
    access: USER_AND_WATCH,
    summary: 'Start a video call',
    description:
      'A member calls a child’s watch, or a watch calls a member. The call rings for 45 seconds. Its state is `BUSY` ' +
      'if one of the parties is already in a call. Two watches cannot call each other. A call is never accepted ' +
      'automatically: video starts when a person has accepted. For `SCHOOL_TIME`, `details` contains the end of ' +
      'the school time as Unix milliseconds; a call that is ringing when school time starts continues.',
    response: JoinableCallDto,
    errors: [
      ...(['VALIDATION_FAILED', 'CHILD_NOT_FOUND', 'MEMBER_NOT_FOUND', 'PERMISSION_MISSING'] as const),
      ...([
        'WATCH_NOT_FOUND',
        'WATCH_UNBOUND',
        'SCHOOL_TIME',
        'CONTACT_NOT_ALLOWED',
        'VIDEO_UNAVAILABLE',
        'FAMILY_NOT_READY',
      ] as const),
    ],
  })
  create(@Caller() caller: Principal, @Body() { to }: CreateVideoCallDto): Promise<CallStatusDto> {
    return this.calls.create(caller, to);
  }

  @Post('accept')
  @UseInterceptors(CallJoinInterceptor)
  @Operation({
    id: 'acceptVideoCall',
    access: USER_AND_WATCH,
    summary: 'Accept a ringing call',
    description:
      'The first device of the callee that accepts gets the call. Other devices receive `CALL_STATE` and stop ringing.',
    response: JoinableCallDto,
    errors: ['CALL_NOT_FOUND', 'CALL_STATE', 'VIDEO_UNAVAILABLE'],
  })
  accept(@Caller() caller: Principal, @Body() { callId }: VideoCallReferenceDto): Promise<CallStatusDto> {
    return this.calls.accept(caller, callId);
  }

  @Post('reject')
  @Operation({
    id: 'rejectVideoCall',
    access: USER_AND_WATCH,
    summary: 'Reject a ringing call',
    response: CallStatusDto,
    errors: ['CALL_NOT_FOUND', 'CALL_STATE'],
  })
  reject(@Caller() caller: Principal, @Body() { callId }: VideoCallReferenceDto): Promise<CallStatusDto> {
    return this.calls.reject(caller, callId);
  }

  @Post('hangup')
  @Operation({
    id: 'hangUpVideoCall',
    access: USER_AND_WATCH,
    summary: 'Cancel a ringing or end an accepted call',
    response: CallStatusDto,
    errors: ['CALL_NOT_FOUND', 'CALL_STATE'],
  })
  hangUp(@Caller() caller: Principal, @Body() { callId }: VideoCallReferenceDto): Promise<CallStatusDto> {
    return this.calls.hangUp(caller, callId);
  }

  @Post('signal')
  @Idempotent(GatewayUnitOfWork)
  @Operation({
    id: 'signalVideoCall',
    access: USER_AND_WATCH,
    summary: 'Relay a WebRTC signal to the other party',
    description:
      'The other party receives the signal in the `signal` field of a call notice. The calling device ' +
      'may send signals from the start of the call, the accepting device after accepting. At most 200 signals.',
    errors: ['VALIDATION_FAILED', 'CALL_NOT_FOUND', 'CALL_STATE', 'LIMIT_REACHED', 'FAMILY_NOT_READY'],
  })
  signal(@Caller() caller: Principal, @Body() body: SignalVideoCallDto): Promise<void> {
    return this.calls.signal(caller, body);
  }

  @Get('token/get')
  @Operation({
    id: 'getVideoCallToken',
    access: USER_AND_WATCH,
    summary: 'Get fresh media credentials for a live call',
    response: CallJoinDto,
    errors: ['CALL_NOT_FOUND', 'CALL_STATE', 'VIDEO_UNAVAILABLE'],
  })
  getToken(@Caller() caller: Principal, @Query() { callId }: VideoCallReferenceDto): Promise<CallJoinDto> {
    return this.calls.getJoin(caller, callId);
  }

  @Get('log')
  @Operation({
    id: 'listVideoCalls',
    access: USER_AND_WATCH,
    summary: 'List calls of the last 90 days',
    description:
      'Newest first. Without `cid`, lists the caller’s own calls. With `cid`, lists all calls of the child for ' +
      'members who may call the child or receive its alerts; a contact sees only the contact’s own calls.',
    response: CallLogPageDto,
    errors: ['VALIDATION_FAILED', 'CHILD_NOT_FOUND', 'WATCH_UNBOUND', 'FAMILY_NOT_READY'],
  })
  list(@Caller() caller: Principal, @Query() query: ListVideoCallsDto): Promise<CallLogPageDto> {
    return this.callLog.list(caller, query);
  }
}

/** The media credentials of a call under the name that the specification lists among the tools. */
@ApiTags('Video calls')
@Controller('apis/v2/tool/video-token')
export class VideoTokenController {
  constructor(private readonly calls: VideoCallsService) {}

  @Get('get')
  @Operation({
    id: 'getVideoToken',
    access: USER_AND_WATCH,
    summary: 'Get fresh media credentials for a live call',
    description: 'The same as `message/video-call/token/get`.',
    response: CallJoinDto,
    errors: ['CALL_NOT_FOUND', 'CALL_STATE', 'VIDEO_UNAVAILABLE'],
  })
  get(@Caller() caller: Principal, @Query() { callId }: VideoCallReferenceDto): Promise<CallJoinDto> {
    return this.calls.getJoin(caller, callId);
  }
}
