import { randomInt, randomUUID, timingSafeEqual } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { normalizeAreaCode } from '@family-watch/domain/accounts/contracts/phone';
import type { Phone } from '@family-watch/domain/accounts/contracts/phone';
import type { SmsScene } from '@family-watch/domain/accounts/contracts/sms-scene';
import type { SendSmsCodeDto, SmsCodeSentDto } from '@family-watch/domain/accounts/dto/sms-code.dto';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import { AccountSecrets } from '../account-secrets.js';
import { ipBlock } from '../attempts/ip-block.js';
import { AttemptLimiterService } from '../attempts/attempt-limiter.service.js';
import { SmsChallengeRepository } from './sms-challenge.repository.js';
import { SmsSender } from './sms-sender.js';
import type { CodeSms } from './sms-sender.js';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';

/** Safety table A20: at most five minutes. */
const CODE_LIFETIME_MS = 5 * 60_000;
const RESEND_AFTER_S = 60;
const CODES = 1_000_000;

/** What a client says to show that it holds a phone. */
export interface SubmittedSmsCode {
  challengeId: string;
  code: string;
}

/** A right code that has not opened anything yet. */
export interface VerifiedCode extends Phone {
  challengeId: string;
}

/** Codes by SMS: sent, guessed at most five times, good for one operation of their scene. */
@Injectable()
export class SmsCodeService {
  private readonly logger = new Logger(SmsCodeService.name);

  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly challenges: SmsChallengeRepository,
    private readonly limiter: AttemptLimiterService,
    private readonly secrets: AccountSecrets,
    private readonly sender: SmsSender,
  ) {}

  /**
   * Sends a code, whether or not the phone has an account: the answer and its time say nothing (safety table A21).
   * @throws ServiceError RATE_LIMITED, SMS_UNAVAILABLE
   */
  async send({ areaCode, phoneNumber, scene }: SendSmsCodeDto, address: string): Promise<SmsCodeSentDto> {
    const phone = { areaCode: normalizeAreaCode(areaCode), phoneNumber };
    // In this order: who is over the limit of his address cannot use up the limit of somebody else's phone.
    await this.limiter.consume('sms.address', ipBlock(address));
    await this.limiter.consume('sms.phone', `${phone.areaCode} ${phoneNumber}`);
    await this.limiter.consume('sms.all', 'all');
    const challengeId = randomUUID();
    const code = String(randomInt(CODES)).padStart(6, '0');
    const time = Date.now();
    const digest = this.secrets.digestCode(challengeId, code);
    const expiresAt = time + CODE_LIFETIME_MS;
    await this.challenges.replace({ ...phone, scene, challengeId, digest, createdAt: time, expiresAt });
    await this.deliver({ ...phone, scene, code, time });
    return { challengeId, expiresIn: CODE_LIFETIME_MS / 1000, resendAfter: RESEND_AFTER_S };
  }

  /**
   * Compares a guess, which counts whatever comes of it. A right code is used up by {@link consume}, in the unit of
   * work of what it opens.
   * @returns the phone that the code went to, or undefined when challenge or code is wrong, used up or expired
   */
  async verify({ challengeId, code }: SubmittedSmsCode, scene: SmsScene): Promise<VerifiedCode | undefined> {
    if (this.unitOfWork.isOpen) throw new Error('A guess is counted in a unit of its own, before the work');
    if (!isUuid(challengeId)) return undefined;
    const challenge = await this.challenges.incrementTries(challengeId, scene, Date.now());
    if (!challenge) return undefined;
    const { digest, ...phone } = challenge;
    const matches = timingSafeEqual(digest, this.secrets.digestCode(challengeId, code));
    return matches ? { ...phone, challengeId } : undefined;
  }

  /**
   * Uses the code up, once, whoever races for it; call it in the unit of work of what it opens.
   * @throws ServiceError CODE_INVALID
   */
  async consume({ challengeId }: VerifiedCode): Promise<void> {
    if (!(await this.challenges.consume(challengeId, Date.now()))) throw new ServiceError('CODE_INVALID');
  }
  private async deliver(message: CodeSms): Promise<void> {
    try {
      await this.sender.send(message);
    } catch (cause) {
      // Not its message: a provider's may repeat the phone number.
      const { code, name } = (cause ?? {}) as { code?: unknown; name?: unknown };
      this.logger.error({ msg: 'Code SMS failed', errorCode: code, errorName: name });
      throw new ServiceError('SMS_UNAVAILABLE', { retryAfter: 30, cause });
    }
  }
}
