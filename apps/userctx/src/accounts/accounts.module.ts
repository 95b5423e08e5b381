import { Module } from '@nestjs/common';
import { RequestLimiter } from '@family-watch/platform/http/request-limiter';
import { SmsModule } from '../sms/sms.module.js';
import { AccountSecrets } from './account-secrets.js';
import { AccountStatesService } from './account-states.service.js';
import { AccountSuspensionService } from './account-suspension.service.js';
import { AccountController } from './account.controller.js';
import { AccountRepository } from './account.repository.js';
import { AccountService } from './account.service.js';
import { AttemptCounterRepository } from './attempts/attempt-counter.repository.js';
import { AttemptLimiterService } from './attempts/attempt-limiter.service.js';
import { SmsChallengeRepository } from './codes/sms-challenge.repository.js';
import { SmsCodeService } from './codes/sms-code.service.js';
import { ConsentRepository } from './consents/consent.repository.js';
import { ConsentsService } from './consents/consents.service.js';
import { PasswordCheckService } from './credentials/password-check.service.js';
import { PasswordHasher, PasswordStrength } from './credentials/passwords.js';
import { JwksController } from './keys/jwks.controller.js';
import { KeyRingService } from './keys/key-ring.service.js';
import { SigningKeyRepository } from './keys/signing-key.repository.js';
import { TokenSigner } from './keys/token-signer.js';
import { SignInLinkRepository } from './sessions/sign-in-link.repository.js';
import { RefreshTokenCookie } from './sessions/refresh-token-cookie.js';
import { RevocationRepository } from './sessions/revocation.repository.js';
import { RevocationService } from './sessions/revocation.service.js';
import { SessionRepository } from './sessions/session.repository.js';
import { SessionService } from './sessions/session.service.js';
import { SignInService } from './sessions/sign-in.service.js';

/**
 * Accounts of persons: sign-up, sign-in, sessions, SMS codes, consents, and the keys that sign the access tokens of all
 * principals.
 *
 * - Parts: `attempts/` (limits of guesses), `codes/` (SMS codes), `consents/`, `credentials/` (passwords), `keys/`
 *   (signing keys, JWKS), `sessions/` (refresh tokens, revocations).
 * - Tables: `account`, `attempt_counter`, `consent`, `consent_change`, `refresh_token`, `revocation`, `session`,
 *   `sign_in_link`, `signing_key`, `sms_challenge`.
 * - Publishes: `userctx.profile.changed`, `userctx.session.ended`, `userctx.session.started`,
 *   `userctx.session.token-reused`.
 * - Needs: sms.
 */
@Module({
  imports: [SmsModule],
  controllers: [AccountController, JwksController],
  providers: [
    TokenSigner,
    AccountService,
    AccountRepository,
    AccountSecrets,
    AccountStatesService,
    AccountSuspensionService,
    AttemptCounterRepository,
    AttemptLimiterService,
    ConsentRepository,
    ConsentsService,
    KeyRingService,
    PasswordCheckService,
    PasswordHasher,
    PasswordStrength,
    RefreshTokenCookie,
    RequestLimiter,
    SessionRepository,
    RevocationRepository,
    RevocationService,
    SessionService,
    SignInService,
    SignInLinkRepository,
    SigningKeyRepository,
    SmsChallengeRepository,
    SmsCodeService,
  ],
  exports: [
    ConsentsService,
    TokenSigner,
    AccountSecrets,
    AccountService,
    AccountStatesService,
    AccountSuspensionService,
    AttemptLimiterService,
    KeyRingService,
    PasswordCheckService,
    PasswordHasher,
    PasswordStrength,
    RequestLimiter,
    RevocationRepository,
    RevocationService,
    SessionService,
  ],
})
export class AccountsModule {}
