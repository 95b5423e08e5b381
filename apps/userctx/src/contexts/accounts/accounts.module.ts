import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { Environment } from '@family-watch/platform/config/environment';
import { AccessTokenSigner } from './access-token-signer.js';
import { AccountController } from './account.controller.js';
import { AccountDirectory } from './account-directory.service.js';
import { AccountRepository } from './account.repository.js';
import { AccountSecrets } from './account-secrets.js';
import { AccountsMaintenanceJob } from './accounts-maintenance.job.js';
import { AttemptCounterRepository } from './attempt-counter.repository.js';
import { AttemptLimiter } from './attempt-limiter.service.js';
import { CredentialsService } from './credentials.service.js';
import { JwksController } from './jwks.controller.js';
import { KeyRing } from './key-ring.service.js';
import { PasswordCheck } from './password-check.service.js';
import { PasswordHasher } from './password-hasher.js';
import { PasswordStrength } from './password-strength.js';
import { ProfileController } from './profile.controller.js';
import { ProfileService } from './profile.service.js';
import { RefreshTokenRepository } from './refresh-token.repository.js';
import { RevocationRepository } from './revocation.repository.js';
import { RevocationService } from './revocation.service.js';
import { SessionController } from './session.controller.js';
import { SessionRepository } from './session.repository.js';
import { SessionService } from './session.service.js';
import { SignInService } from './sign-in.service.js';
import { SigningKeyRepository } from './signing-key.repository.js';
import { FileSmsSender } from './sms/file-sms-sender.js';
import { SmsSender } from './sms/sms-sender.js';
import { SmsChallengeRepository } from './sms-challenge.repository.js';
import { SmsCodeService } from './sms-code.service.js';
import { StepUpService } from './step-up.service.js';

const SMS_OUTBOX = 'sms-outbox.jsonl';

/** People, how they sign in, and the keys that everyone's access tokens are signed with. */
@Module({
  controllers: [AccountController, SessionController, ProfileController, JwksController],
  providers: [
    AccessTokenSigner,
    AccountDirectory,
    AccountRepository,
    AccountSecrets,
    AccountsMaintenanceJob,
    AttemptCounterRepository,
    AttemptLimiter,
    CredentialsService,
    KeyRing,
    PasswordCheck,
    PasswordHasher,
    PasswordStrength,
    ProfileService,
    RefreshTokenRepository,
    RevocationRepository,
    RevocationService,
    SessionRepository,
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
  exports: [AccessTokenSigner, AccountDirectory, KeyRing, RevocationRepository, RevocationService, StepUpService],
})
export class AccountsModule {}
