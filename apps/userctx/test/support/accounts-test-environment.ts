import type { INestApplicationContext } from '@nestjs/common';
import type { SmsScene } from '@family-watch/domain/accounts/contracts/account';
import type { Environment } from '@family-watch/platform/config/environment';
import type { IssuedTokens } from '../../src/accounts/sessions/session.service.js';
import { SignInService } from '../../src/accounts/sessions/sign-in.service.js';
import { SmsCodeService, type SubmittedSmsCode } from '../../src/accounts/codes/sms-code.service.js';
import { openTestDependencies, PASSWORD, UserctxTestEnvironment } from './userctx-test-environment.js';

export { PASSWORD };
export const IP_ADDRESS = '192.0.2.1';

/** Test environment for accounts and their SMS codes. */
export class AccountsTestEnvironment extends UserctxTestEnvironment {
  static async open(settings: Partial<Environment> = {}): Promise<AccountsTestEnvironment> {
    return new AccountsTestEnvironment(await openTestDependencies(settings));
  }

  /** Requests an SMS code and reads it from the recorded messages. */
  async requestCode(
    replica: INestApplicationContext,
    phone: { areaCode: string; phoneNumber: string },
    scene: SmsScene,
  ): Promise<SubmittedSmsCode> {
    const { challengeId } = await replica.get(SmsCodeService).send({ ...phone, scene }, IP_ADDRESS);
    const sent = (await this.sentMessages()).findLast(
      (message) => message['phoneNumber'] === phone.phoneNumber && message['scene'] === scene,
    );
    return { challengeId, code: String(sent?.['code']) };
  }

  async signUp(
    replica: INestApplicationContext,
    phone = this.uniquePhone(),
    password: string | undefined = PASSWORD,
  ): Promise<IssuedTokens> {
    const code = await this.requestCode(replica, phone, 'SIGN_UP');
    return replica.get(SignInService).signUp({ ...code, password }, { ip: IP_ADDRESS, userAgent: 'suite' });
  }
}

/** Returns a six-digit code that differs from `code`. */
export function differentCode(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0');
}
