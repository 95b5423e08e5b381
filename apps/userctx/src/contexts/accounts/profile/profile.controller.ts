import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  ChangePhoneDto,
  SetPasswordDto,
  ProfileDto,
  UpdateProfileDto,
} from '@family-watch/domain/accounts/dto/profile.dto';
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
  @Operation({ id: 'getProfile', access: ['user'], summary: 'Get the caller’s profile', response: ProfileDto })
  getProfile(@Caller() caller: Principal): Promise<ProfileDto> {
    return this.profiles.get(caller);
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
    return this.profiles.update(caller, changes);
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
    return this.credentials.setPassword(caller, request);
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
    return this.credentials.changePhone(caller, request);
  }
}
