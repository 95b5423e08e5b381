import { Body, Controller, Header, Headers, Ip, Post, Get, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ConsentDto, ConsentListDto, UpdateConsentDto } from '@family-watch/domain/accounts/dto/consent.dto';
import {
  ResetPasswordDto,
  ChangePhoneDto,
  SetPasswordDto,
  ProfileDto,
  UpdateProfileDto,
} from '@family-watch/domain/accounts/dto/profile.dto';
import {
  RefreshTokenDto,
  SignInDto,
  SignUpDto,
  SendSmsCodeDto,
  SmsCodeSentDto,
  TokensDto,
  DeleteSessionDto,
  SessionPageDto,
} from '@family-watch/domain/accounts/dto/sign-in.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { validationError } from '@family-watch/domain/kernel/contracts/service-error';
import { PageQueryDto } from '@family-watch/domain/kernel/dto/page-query.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { AccountService } from './account.service.js';
import { SmsCodeService } from './codes/sms-code.service.js';
import { ConsentsService } from './consents/consents.service.js';
import { RefreshTokenCookie } from './sessions/refresh-token-cookie.js';
import { SessionService, type IssuedTokens } from './sessions/session.service.js';
import { SignInService } from './sessions/sign-in.service.js';

/** The three ways to sign in. */
const SIGN_IN_EXAMPLES = {
  password: { value: { areaCode: '+86', phoneNumber: '13812345678', password: 'zebra-piano-41-rain' } },
  'SMS code': { value: { challengeId: '5f0c6c9e-6b0a-4d0e-9f55-0d6f2a7c1b11', code: '402913' } },
  'sign-in link': { value: { linkToken: 'q3B0u8fJv1m2kY5s7XcZr9T0wQ4eLhN6pDaGxVbMiKo' } },
};

const REFRESH_EXAMPLES = {
  app: { value: { refreshToken: 'vQ3m0wM0q2Hq8rI8m4Jw7o6b7qk0M5pYx1c2T9aZ3fE' } },
  'web page': { value: { refreshTokenCookie: true } },
};

/** Accounts: sign-up, sign-in, sessions, profile, password and phone number, and consents. */
@ApiTags('Accounts')
@Controller('apis/v2/userctx/user/account')
export class AccountController {
  constructor(
    private readonly codes: SmsCodeService,
    private readonly signIns: SignInService,
    private readonly sessions: SessionService,
    private readonly accounts: AccountService,
    private readonly consents: ConsentsService,
    private readonly cookie: RefreshTokenCookie,
  ) {}

  @Post('sms-code/send')
  @Operation({
    id: 'sendSmsCode',
    access: 'public',
    summary: 'Send a code by SMS',
    description:
      'The response is the same for phone numbers with and without an account. A new code invalidates the previous ' +
      'code of the same scene. Requests within `resendAfter` seconds are rejected with RATE_LIMITED, unless the ' +
      'previous code was used. With a `deviceToken`, separate limits apply to the device.',
    response: SmsCodeSentDto,
    errors: ['VALIDATION_FAILED', 'RATE_LIMITED', 'SMS_REJECTED', 'SMS_UNAVAILABLE'],
  })
  sendSmsCode(@Body() request: SendSmsCodeDto, @Ip() ip: string): Promise<SmsCodeSentDto> {
    return this.codes.send(request, ip);
  }

  @Post('sign-up')
  @Header('cache-control', 'no-store')
  @Operation({
    id: 'signUp',
    access: 'public',
    summary: 'Create an account',
    description: 'Requires an SMS code of scene SIGN_UP; the account gets the phone number that received it.',
    response: TokensDto,
    errors: ['VALIDATION_FAILED', 'CODE_INVALID', 'PASSWORD_TOO_WEAK', 'ACCOUNT_EXISTS', 'RATE_LIMITED', 'OVERLOADED'],
  })
  async signUp(
    @Body() body: SignUpDto,
    @Ip() ip: string,
    @Headers('user-agent') userAgent: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TokensDto> {
    const tokens = await this.signIns.signUp(body, { ip, userAgent });
    return this.responseOf(tokens, body, request, reply);
  }

  @Post('sign-in')
  @Header('cache-control', 'no-store')
  @Operation({
    id: 'signIn',
    access: 'public',
    summary: 'Sign in',
    description:
      'With one of: `challengeId` and `code` of an SMS code of scene SIGN_IN; `linkToken` of a sign-in link; ' +
      '`areaCode`, `phoneNumber` and `password`. If a request contains several, the first of them in this order ' +
      "counts. The caller's other devices are notified. CREDENTIALS_INVALID: also for a phone number without an " +
      'account.',
    response: TokensDto,
    errors: ['VALIDATION_FAILED', 'CREDENTIALS_INVALID', 'ACCOUNT_SUSPENDED', 'RATE_LIMITED', 'OVERLOADED'],
  })
  @ApiBody({ type: SignInDto, examples: SIGN_IN_EXAMPLES })
  async signIn(
    @Body() body: SignInDto,
    @Ip() ip: string,
    @Headers('user-agent') userAgent: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TokensDto> {
    const tokens = await this.signIns.signIn(body, { ip, userAgent });
    return this.responseOf(tokens, body, request, reply);
  }

  @Post('token/refresh')
  @Header('cache-control', 'no-store')
  @Operation({
    id: 'refreshToken',
    access: 'public',
    limit: 'proof',
    servesUnsupportedApps: true,
    summary: 'Refresh tokens',
    description:
      'A refresh token can be used once. If it is used again within ten seconds, the same successor is returned. A ' +
      'later reuse is treated as theft and ends the session. With `refreshTokenCookie` and without `refreshToken`, the ' +
      'token of the cookie is used.',
    response: TokensDto,
    errors: ['VALIDATION_FAILED', 'REFRESH_TOKEN_INVALID'],
  })
  @ApiBody({ type: RefreshTokenDto, examples: REFRESH_EXAMPLES })
  async refreshToken(
    @Body() body: RefreshTokenDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TokensDto> {
    if (body.refreshToken === undefined && !body.refreshTokenCookie)
      throw validationError('refreshToken', 'isDefined', 'provide refreshToken or refreshTokenCookie');
    // An absent cookie fails like an unknown token.
    const tokens = await this.sessions.refresh(body.refreshToken ?? this.cookie.read(request) ?? '');
    return this.responseOf(tokens, body, request, reply);
  }

  @Post('password/reset')
  @Operation({
    id: 'resetPassword',
    access: 'public',
    summary: 'Reset the password',
    description: 'Requires an SMS code of scene RESET_PASSWORD. Ends every session of the account.',
    errors: ['VALIDATION_FAILED', 'CODE_INVALID', 'PASSWORD_TOO_WEAK', 'CONFLICT', 'RATE_LIMITED', 'OVERLOADED'],
  })
  resetPassword(@Body() request: ResetPasswordDto, @Ip() ip: string): Promise<void> {
    return this.accounts.resetPassword(request, ip);
  }

  @Post('sign-out')
  @Operation({
    id: 'signOut',
    access: ['user'],
    servesUnsupportedApps: true,
    summary: 'Sign out',
    description: 'Ends the session of this request, and deletes the cookie with its refresh token.',
  })
  async signOut(
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.sessions.signOut(caller);
    const refreshToken = this.cookie.read(request);
    if (refreshToken === undefined) return;
    // Another tab may have replaced the cookie by that of another session, which continues.
    const sessionId = await this.sessions.findSessionOf(refreshToken);
    if (sessionId === undefined || sessionId === caller.sessionId) this.cookie.delete(request, reply);
  }

  @Get('session/list')
  @Operation({
    id: 'listSessions',
    access: ['user'],
    summary: 'List the caller’s active sessions',
    description: 'Newest first.',
    response: SessionPageDto,
    errors: ['VALIDATION_FAILED'],
  })
  listSessions(@Caller() caller: Principal, @Query() page: PageQueryDto): Promise<SessionPageDto> {
    return this.sessions.list(caller, page);
  }

  @Post('session/delete')
  @Operation({
    id: 'deleteSession',
    access: ['user'],
    summary: 'End a session of the caller',
    description: 'Its access tokens are invalid at once, and its sockets are closed.',
    errors: ['VALIDATION_FAILED', 'SESSION_NOT_FOUND'],
  })
  deleteSession(@Caller() caller: Principal, @Body() { sessionId }: DeleteSessionDto): Promise<void> {
    return this.sessions.delete(caller, sessionId);
  }

  @Post('session/delete-others')
  @Operation({
    id: 'deleteOtherSessions',
    access: ['user'],
    summary: 'End all other sessions of the caller',
    description: 'Their access tokens are invalid at once, and their sockets are closed.',
  })
  deleteOtherSessions(@Caller() caller: Principal): Promise<void> {
    return this.sessions.deleteOthers(caller);
  }

  @Get('profile/get')
  @Operation({ id: 'getProfile', access: ['user'], summary: 'Get the caller’s profile', response: ProfileDto })
  getProfile(@Caller() caller: Principal): Promise<ProfileDto> {
    return this.accounts.getProfile(caller);
  }

  @Post('profile/update')
  @Operation({
    id: 'updateProfile',
    access: ['user'],
    summary: 'Update the caller’s profile',
    description: 'Omitted fields are unchanged.',
    response: ProfileDto,
    errors: ['VALIDATION_FAILED'],
  })
  updateProfile(@Caller() caller: Principal, @Body() changes: UpdateProfileDto): Promise<ProfileDto> {
    return this.accounts.updateProfile(caller, changes);
  }

  @Post('password/set')
  @Operation({
    id: 'setPassword',
    access: ['user'],
    summary: 'Set the password',
    description:
      'Requires a step-up, except for the first password within ten minutes of signing in. Ends all other sessions.',
    errors: ['VALIDATION_FAILED', 'PASSWORD_TOO_WEAK', 'STEP_UP_REQUIRED', 'CONFLICT', 'RATE_LIMITED', 'OVERLOADED'],
  })
  setPassword(@Caller() caller: Principal, @Body() request: SetPasswordDto): Promise<void> {
    return this.accounts.setPassword(caller, request);
  }

  @Post('phone/change')
  @Operation({
    id: 'changePhone',
    access: ['user'],
    summary: 'Change the phone number',
    description:
      'Requires a step-up and an SMS code of scene CHANGE_PHONE, sent to the new number. Ends all other sessions.',
    errors: [
      'VALIDATION_FAILED',
      'CODE_INVALID',
      'STEP_UP_REQUIRED',
      'ACCOUNT_EXISTS',
      'CONFLICT',
      'RATE_LIMITED',
      'OVERLOADED',
    ],
  })
  changePhone(@Caller() caller: Principal, @Body() request: ChangePhoneDto): Promise<void> {
    return this.accounts.changePhone(caller, request);
  }

  @Get('consent/get')
  @Operation({
    id: 'getConsents',
    access: ['user'],
    summary: 'List the caller’s consents',
    description: 'Each with its texts, to show before asking, and its history.',
    response: ConsentListDto,
  })
  getConsents(@Caller() caller: Principal): Promise<ConsentListDto> {
    return this.consents.get(caller);
  }

  @Post('consent/update')
  @Operation({
    id: 'updateConsent',
    access: ['user'],
    summary: 'Grant or withdraw a consent',
    description:
      'A withdrawal is effective when the response is sent. A consent is to the current texts, which ' +
      '`consent/get` returns. The consent of the owner of a family governs the watches of its children.',
    response: ConsentDto,
    errors: ['VALIDATION_FAILED'],
  })
  updateConsent(@Caller() caller: Principal, @Body() body: UpdateConsentDto): Promise<ConsentDto> {
    return this.consents.update(caller, body);
  }

  private responseOf(
    tokens: IssuedTokens,
    { refreshTokenCookie }: { refreshTokenCookie?: boolean },
    request: FastifyRequest,
    reply: FastifyReply,
  ): TokensDto {
    return refreshTokenCookie ? this.cookie.store(tokens, request, reply) : tokens;
  }
}
