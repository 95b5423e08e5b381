import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ChangePhoneDto, SetPasswordDto } from '@family-watch/domain/accounts/dto/credentials.dto';
import { ProfileDto, UpdateProfileDto } from '@family-watch/domain/accounts/dto/profile.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { CredentialsService } from '../credentials/credentials.service.js';
import { ProfileService } from './profile.service.js';

/** The caller's own account. */
@ApiTags('Accounts')
@Controller('apis/v2/userctx/user/account')
export class ProfileController {
  constructor(
    private readonly profiles: ProfileService,
    private readonly credentials: CredentialsService,
  ) {}

  @Get('profile/get')
  @Operation({ id: 'getProfile', access: ['user'], summary: 'The caller’s profile', response: ProfileDto })
  getProfile(@Caller() caller: Principal): Promise<ProfileDto> {
    return this.profiles.get(caller);
  }

  @Post('profile/update')
  @Operation({
    id: 'updateProfile',
    access: ['user'],
    summary: 'Change the caller’s profile; what is absent stays',
    response: ProfileDto,
    errors: ['VALIDATION_FAILED'],
  })
  updateProfile(@Caller() caller: Principal, @Body() changes: UpdateProfileDto): Promise<ProfileDto> {
    return this.profiles.update(caller, changes);
  }

  @Post('password/set')
  @Operation({
    id: 'setPassword',
    access: ['user'],
    summary: 'Choose a password; ends all other sessions',
    errors: ['VALIDATION_FAILED', 'PASSWORD_TOO_WEAK', 'STEP_UP_REQUIRED', 'CONFLICT', 'RATE_LIMITED', 'OVERLOADED'],
  })
  setPassword(@Caller() caller: Principal, @Body() request: SetPasswordDto): Promise<void> {
    return this.credentials.setPassword(caller, request);
  }

  @Post('phone/change')
  @Operation({
    id: 'changePhone',
    access: ['user'],
    summary: 'Move the account to the phone that a code of scene CHANGE_PHONE went to; ends all other sessions',
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
    return this.credentials.changePhone(caller, request);
  }
}
