import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { Environment } from '@family-watch/platform/config/environment';
import { AccountDirectoryService } from './account-directory.service.js';
import { AccountSecrets } from './account-secrets.js';
import { AccountController } from './account.controller.js';
import { AccountRepository } from './account.repository.js';
import { AttemptCounterRepository } from './attempts/attempt-counter.repository.js';
import { AttemptLimiterService } from './attempts/attempt-limiter.service.js';
import { FileSmsSender } from './codes/file-sms-sender.js';
import { SmsChallengeRepository } from './codes/sms-challenge.repository.js';
import { SmsCodeService } from './codes/sms-code.service.js';
import { SmsSender } from './codes/sms-sender.js';
import { CredentialsService } from './credentials/credentials.service.js';
import { PasswordCheckService } from './credentials/password-check.service.js';
import { PasswordHasher } from './credentials/password-hasher.js';
import { PasswordStrength } from './credentials/password-strength.js';
import { StepUpService } from './credentials/step-up.service.js';
import { JwksController } from './keys/jwks.controller.js';
import { KeyRingService } from './keys/key-ring.service.js';
import { SigningKeyRepository } from './keys/signing-key.repository.js';
import { TokenSigner } from './keys/token-signer.js';
import { ProfileController } from './profile/profile.controller.js';
import { ProfileService } from './profile/profile.service.js';
import { DeviceTokenService } from './sessions/device-token.service.js';
import { RefreshTokenRepository } from './sessions/refresh-token.repository.js';
import { RevocationRepository } from './sessions/revocation.repository.js';
import { RevocationService } from './sessions/revocation.service.js';
import { SessionController } from './sessions/session.controller.js';
import { SessionRepository } from './sessions/session.repository.js';
import { SessionService } from './sessions/session.service.js';
import { SignInService } from './sessions/sign-in.service.js';

const SMS_OUTBOX = 'sms-outbox.jsonl';

/** Accounts, sign-in and sessions, and the keys that sign the access tokens of all principals. */
@Module({
  controllers: [AccountController, SessionController, ProfileController, JwksController],
  providers: [
    TokenSigner,
    AccountDirectoryService,
    AccountRepository,
    AccountSecrets,
    AttemptCounterRepository,
    AttemptLimiterService,
    CredentialsService,
    KeyRingService,
    PasswordCheckService,
    PasswordHasher,
    PasswordStrength,
    ProfileService,
    RefreshTokenRepository,
    RevocationRepository,
    RevocationService,
    SessionRepository,
    DeviceTokenService,
    SessionService,
    SignInService,
    SigningKeyRepository,
    SmsChallengeRepository,
    SmsCodeService,
    StepUpService,
    {
      provide: SmsSender,
      inject: [Environment],
      useFactory: ({ DATA_DIR }: Environment) => new FileSmsSender(join(DATA_DIR, SMS_OUTBOX)),
    },
  ],
  exports: [
    TokenSigner,
    AccountDirectoryService,
    AttemptLimiterService,
    KeyRingService,
    RevocationRepository,
    RevocationService,
    SmsSender,
    StepUpService,
  ],
})
export class AccountsModule {}
