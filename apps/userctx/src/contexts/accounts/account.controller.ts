import { Body, Controller, Header, Headers, Ip, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ResetPasswordDto } from '@family-watch/domain/accounts/dto/profile.dto';
import {
  RefreshTokenDto,
  SignInDto,
  SignUpDto,
  SendSmsCodeDto,
  SmsCodeSentDto,
  TokensDto,
} from '@family-watch/domain/accounts/dto/sign-in.dto';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { CredentialsService } from './credentials/credentials.service.js';
import { SessionService } from './sessions/session.service.js';
import { SignInService } from './sessions/sign-in.service.js';
import { SmsCodeService } from './codes/sms-code.service.js';

/** Public account operations: sign-up, sign-in, token refresh and password reset. */
@ApiTags('Accounts')
@Controller('apis/v2/userctx/user/account')
export class AccountController {
  constructor(
    private readonly codes: SmsCodeService,
    private readonly signIns: SignInService,
    private readonly sessions: SessionService,
    private readonly credentials: CredentialsService,
  ) {}

  @Post('sms-code/send')
  @Operation({
    id: 'sendSmsCode',
    access: 'public',
    summary: 'Send a code by SMS',
    description:
      'The response is the same for phone numbers with and without an account. A new code invalidates the previous ' +
      'one of the same scene. Requests within `resendAfter` seconds are rejected with RATE_LIMITED, unless the code was ' +
      'used. A `deviceToken` gives the device limits of its own.',
    response: SmsCodeSentDto,
    errors: ['VALIDATION_FAILED', 'RATE_LIMITED', 'SMS_UNAVAILABLE'],
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
  signUp(
    @Body() request: SignUpDto,
    @Ip() ip: string,
    @Headers('user-agent') userAgent: string | undefined,
  ): Promise<TokensDto> {
    return this.signIns.signUp(request, { ip, userAgent });
  }

  @Post('sign-in')
  @Header('cache-control', 'no-store')
  @Operation({
    id: 'signIn',
    access: 'public',
    summary: 'Sign in',
    description: 'With phone number and password, or with an SMS code of scene SIGN_IN.',
    response: TokensDto,
    errors: ['VALIDATION_FAILED', 'CREDENTIALS_INVALID', 'RATE_LIMITED', 'OVERLOADED'],
  })
  signIn(
    @Body() request: SignInDto,
    @Ip() ip: string,
    @Headers('user-agent') userAgent: string | undefined,
  ): Promise<TokensDto> {
    return this.signIns.signIn(request, { ip, userAgent });
  }

  @Post('token/refresh')
  @Header('cache-control', 'no-store')
  @Operation({
    id: 'refreshToken',
    access: 'public',
    summary: 'Refresh tokens',
    description:
      'A refresh token can be used once. If it is used again within ten seconds, the same successor is returned. A ' +
      'later reuse is treated as theft and ends the session.',
    response: TokensDto,
    errors: ['VALIDATION_FAILED', 'REFRESH_TOKEN_INVALID'],
  })
  refreshToken(@Body() { refreshToken }: RefreshTokenDto): Promise<TokensDto> {
    return this.sessions.refresh(refreshToken);
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
    return this.credentials.resetPassword(request, ip);
  }
}
