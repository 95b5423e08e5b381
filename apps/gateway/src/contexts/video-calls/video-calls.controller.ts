import { Body, Controller, Get, Post, Query, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { CallStatus } from '@family-watch/domain/messages/contracts/video-call';
import {
  CallJoinDto,
  CallLogPageDto,
  CallStandingDto,
  CreateVideoCallDto,
  JoinableCallDto,
  ListVideoCallsDto,
  SignalVideoCallDto,
  VideoCallReferenceDto,
} from '@family-watch/domain/messages/dto/video-call.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { Idempotent } from '@family-watch/platform/idempotency/idempotent.decorator';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import { CallJoinService } from './call-join.service.js';
import { CallLogService } from './call-log.service.js';
import { CallJoinInterceptor } from './call-join.interceptor.js';
import { VideoCallsService } from './video-calls.service.js';

const BOTH = ['user', 'watch'] as const;

/** Video calls between a member of the family and a child's watch. */
@ApiTags('Video calls')
@Controller('apis/v2/message/video-call')
export class VideoCallsController {
  constructor(
    private readonly calls: VideoCallsService,
    private readonly joins: CallJoinService,
    private readonly callLog: CallLogService,
  ) {}

  @Post('create')
  @Idempotent(GatewayUnitOfWork)
  // Below the other, and so around it: what it adds is never stored.
  @UseInterceptors(CallJoinInterceptor)
  @Operation({
    id: 'createVideoCall',
    access: BOTH,
    summary: 'Call a child’s watch, or a member from the watch',
    description:
      'It rings for 45 seconds. `BUSY` if one of the two is in a call. Two watches cannot call each other. ' +
      'Nothing is answered by itself: the picture begins when a person has accepted. Of `SCHOOL_TIME`, `details` ' +
      'names the end as Unix milliseconds; a call that rings when it begins goes on.',
    response: JoinableCallDto,
    errors: [
      ...(['VALIDATION_FAILED', 'CHILD_NOT_FOUND', 'MEMBER_NOT_FOUND', 'PERMISSION_MISSING'] as const),
      ...(['WATCH_NOT_FOUND', 'WATCH_UNBOUND', 'SCHOOL_TIME', 'CONTACT_NOT_ALLOWED', 'VIDEO_UNAVAILABLE'] as const),
    ],
  })
  create(@Caller() caller: Principal, @Body() { to }: CreateVideoCallDto): Promise<CallStatus> {
    return this.calls.create(caller, to);
  }

  @Post('accept')
  @UseInterceptors(CallJoinInterceptor)
  @Operation({
    id: 'acceptVideoCall',
    access: BOTH,
    summary: 'Accept a call that rings',
    description: 'The first device of the callee has it; the others are answered `CALL_STATE` and stop ringing.',
    response: JoinableCallDto,
    errors: ['CALL_NOT_FOUND', 'CALL_STATE', 'VIDEO_UNAVAILABLE'],
  })
  accept(@Caller() caller: Principal, @Body() { callId }: VideoCallReferenceDto): Promise<CallStatus> {
    return this.calls.accept(caller, callId);
  }

  @Post('reject')
  @Operation({
    id: 'rejectVideoCall',
    access: BOTH,
    summary: 'Reject a call that rings',
    response: CallStandingDto,
    errors: ['CALL_NOT_FOUND', 'CALL_STATE'],
  })
  reject(@Caller() caller: Principal, @Body() { callId }: VideoCallReferenceDto): Promise<CallStatus> {
    return this.calls.reject(caller, callId);
  }

  @Post('hangup')
  @Operation({
    id: 'hangUpVideoCall',
    access: BOTH,
    summary: 'Cancel a call that rings, or end one that goes on',
    response: CallStandingDto,
    errors: ['CALL_NOT_FOUND', 'CALL_STATE'],
  })
  hangUp(@Caller() caller: Principal, @Body() { callId }: VideoCallReferenceDto): Promise<CallStatus> {
    return this.calls.hangUp(caller, callId);
  }

  @Post('signal')
  @Idempotent(GatewayUnitOfWork)
  @Operation({
    id: 'signalVideoCall',
    access: BOTH,
    summary: 'Relay a WebRTC signal to the other party',
    description:
      'It arrives in the `signal` field of the other party’s call notice. The caller may begin while it rings; the ' +
      'callee once it has accepted, from the device that did. At most 200 signals a call.',
    errors: ['VALIDATION_FAILED', 'CALL_NOT_FOUND', 'CALL_STATE', 'LIMIT_REACHED'],
  })
  signal(@Caller() caller: Principal, @Body() body: SignalVideoCallDto): Promise<void> {
    return this.calls.signal(caller, body);
  }

  @Get('token/get')
  @Operation({
    id: 'getVideoCallToken',
    access: BOTH,
    summary: 'A fresh token, or fresh credentials, for a call that goes on',
    response: CallJoinDto,
    errors: ['CALL_NOT_FOUND', 'CALL_STATE', 'VIDEO_UNAVAILABLE'],
  })
  getToken(@Caller() caller: Principal, @Query() { callId }: VideoCallReferenceDto): Promise<CallJoinDto> {
    return this.joins.get(caller, callId);
  }

  @Get('log')
  @Operation({
    id: 'listVideoCalls',
    access: BOTH,
    summary: 'Calls of the last 90 days, newest first',
    description:
      'Without `cid` the caller’s own. With it all calls of the child for those who may call it or get its alerts; ' +
      'a contact sees its own.',
    response: CallLogPageDto,
    errors: ['VALIDATION_FAILED', 'CHILD_NOT_FOUND', 'WATCH_UNBOUND'],
  })
  list(@Caller() caller: Principal, @Query() query: ListVideoCallsDto): Promise<CallLogPageDto> {
    return this.callLog.list(caller, query);
  }
}
