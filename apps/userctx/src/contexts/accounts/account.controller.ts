import { Body, Controller, Header, Headers, Ip, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ResetPasswordDto } from '@family-watch/domain/accounts/dto/credentials.dto';
import { RefreshTokenDto, SignInDto, SignUpDto } from '@family-watch/domain/accounts/dto/sign-in.dto';
import { SendSmsCodeDto, SmsCodeSentDto } from '@family-watch/domain/accounts/dto/sms-code.dto';
import { TokensDto } from '@family-watch/domain/accounts/dto/tokens.dto';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { CredentialsService } from './credentials/credentials.service.js';
import { SessionService } from './sessions/session.service.js';
import { SignInService } from './sessions/sign-in.service.js';
import { SmsCodeService } from './codes/sms-code.service.js';

/** What can be done without a token: the ways in. */
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
    description: 'Answers alike for phones with an account and without. A new code ends the one before it.',
    response: SmsCodeSentDto,
    errors: ['VALIDATION_FAILED', 'RATE_LIMITED', 'SMS_UNAVAILABLE'],
  })
  sendSmsCode(@Body() request: SendSmsCodeDto, @Ip() address: string): Promise<SmsCodeSentDto> {
    return this.codes.send(request, address);
  }

  @Post('sign-up')
  @Header('cache-control', 'no-store')
  @Operation({
    id: 'signUp',
    access: 'public',
    summary: 'Make an account for the phone that a code of scene SIGN_UP went to',
    response: TokensDto,
    errors: ['VALIDATION_FAILED', 'CODE_INVALID', 'PASSWORD_TOO_WEAK', 'ACCOUNT_EXISTS', 'RATE_LIMITED', 'OVERLOADED'],
  })
  signUp(
    @Body() request: SignUpDto,
    @Ip() address: string,
    @Headers('user-agent') client: string | undefined,
  ): Promise<TokensDto> {
    return this.signIns.signUp(request, { address, client });
  }

  @Post('sign-in')
  @Header('cache-control', 'no-store')
  @Operation({
    id: 'signIn',
    access: 'public',
    summary: 'Sign in with phone and password, or with a code of scene SIGN_IN',
    response: TokensDto,
    errors: ['VALIDATION_FAILED', 'CREDENTIALS_INVALID', 'RATE_LIMITED', 'OVERLOADED'],
  })
  signIn(
    @Body() request: SignInDto,
    @Ip() address: string,
    @Headers('user-agent') client: string | undefined,
  ): Promise<TokensDto> {
    return this.signIns.signIn(request, { address, client });
  }

  @Post('token/refresh')
  @Header('cache-control', 'no-store')
  @Operation({
    id: 'refreshToken',
    access: 'public',
    summary: 'Change a refresh token for new tokens',
    description:
      'A refresh token is good for one use. The same one again within ten seconds gets the same successor; later it ' +
      'means that it was stolen, and the session ends.',
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
    summary: 'Choose a new password with a code of scene RESET_PASSWORD; ends every session',
    errors: ['VALIDATION_FAILED', 'CODE_INVALID', 'PASSWORD_TOO_WEAK', 'CONFLICT', 'RATE_LIMITED', 'OVERLOADED'],
  })
  resetPassword(@Body() request: ResetPasswordDto, @Ip() address: string): Promise<void> {
    return this.credentials.resetPassword(request, address);
  }
}
