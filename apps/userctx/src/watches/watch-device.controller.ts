import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { EmptyDto } from '@family-watch/domain/kernel/dto/empty.dto';
import {
  ChallengeDto,
  EnrolChallengeRequestDto,
  EnrolledDto,
  EnrolRequestDto,
  TokenChallengeRequestDto,
  TokenCreateRequestDto,
  WatchTokenDto,
} from '@family-watch/domain/watches/dto/enrolment.dto';
import { BindCodeDto, StepsReportDto } from '@family-watch/domain/watches/dto/watch.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { WatchBindingService } from './binding/watch-binding.service.js';
import { WatchIdentityService } from './identity/watch-identity.service.js';
import { WatchStatusService } from './status/watch-status.service.js';

@ApiTags('Watch device')
@Controller('apis/v2/userctx/watch')
export class WatchDeviceController {
  constructor(
    private readonly identities: WatchIdentityService,
    private readonly bindCodes: WatchBindingService,
    private readonly status: WatchStatusService,
  ) {}

  @Post('enrol/challenge')
  @Operation({
    id: 'challengeEnrolment',
    access: 'public',
    summary: 'Create a nonce to enrol a watch',
    description: 'The watch signs the nonce to prove possession of its key.',
    response: ChallengeDto,
  })
  challengeEnrolment(@Body() { publicKey }: EnrolChallengeRequestDto): ChallengeDto {
    return this.identities.challengeEnrolment(publicKey);
  }

  @Post('enrol')
  @Operation({
    id: 'enrolWatch',
    access: 'public',
    summary: 'Enrol a watch by its public key',
    description:
      '`proof` covers the nonce of `watch/enrol/challenge`. A repetition with the same key returns the same ' +
      '`did` and updates model and firmware version. PROOF_INVALID: also for a revoked key. CONFLICT: the watch ' +
      'is bound and was bound with another IMEI.',
    response: EnrolledDto,
    errors: ['PROOF_INVALID', 'ENROLMENT_NOT_LISTED', 'CONFLICT'],
  })
  async enrol(@Body() request: EnrolRequestDto): Promise<EnrolledDto> {
    return { did: await this.identities.enrol(request) };
  }

  @Post('token/challenge')
  @Operation({
    id: 'challengeWatchToken',
    access: 'public',
    limit: 'proof',
    summary: 'Create a nonce for a watch token',
    description: 'The watch signs the nonce. An unknown `did` gets a nonce, too.',
    response: ChallengeDto,
  })
  challengeToken(@Body() { did }: TokenChallengeRequestDto): ChallengeDto {
    return this.identities.challengeToken(did);
  }

  @Post('token/create')
  @Operation({
    id: 'createWatchToken',
    access: 'public',
    limit: 'proof',
    summary: 'Create an access token for a watch',
    description:
      '`signature` covers the nonce of `watch/token/challenge`. SIGNATURE_INVALID: also for an unknown, deleted ' +
      'or revoked watch. A watch that is unbound and has not contacted the service for a day is deleted, and ' +
      'must enrol again. Limited per watch.',
    response: WatchTokenDto,
    errors: ['SIGNATURE_INVALID'],
  })
  createToken(@Body() request: TokenCreateRequestDto): Promise<WatchTokenDto> {
    return this.identities.createToken(request);
  }

  @Post('bind-code/create')
  @Operation({
    id: 'createBindCode',
    access: ['watch'],
    summary: 'Create a bind code',
    description: 'For an unbound watch, which shows both codes. They replace the previous codes of the watch.',
    response: BindCodeDto,
    errors: ['WATCH_ALREADY_BOUND', 'WATCH_NOT_FOUND'],
  })
  createBindCode(@Caller() watch: Principal): Promise<BindCodeDto> {
    return this.bindCodes.createCode(Number(watch.id));
  }

  @Post('steps/report')
  @Operation({
    id: 'reportSteps',
    access: ['watch'],
    summary: 'Report the step counter',
    description:
      'Same as `stepTotal` of HeartbeatMessage. The service adds the increase since the last report to the steps of the ' +
      'child’s day; an increase across midnight is distributed evenly over both days. A repeated or late report changes ' +
      'nothing. The first report of a watch counts as a whole, unless the watch was bound to another child before. ' +
      'An increase that a child cannot have walked (12,000 steps per hour, 50,000 per day) does not count.',
    errors: ['WATCH_UNBOUND'],
  })
  async reportSteps(@Caller() watch: Principal, @Body() { stepTotal }: StepsReportDto): Promise<EmptyDto> {
    await this.status.reportSteps(Number(watch.id), stepTotal);
    return new EmptyDto();
  }
}
