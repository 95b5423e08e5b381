import { randomInt, randomUUID, timingSafeEqual } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { Phone, SmsScene } from '@family-watch/domain/accounts/contracts/account';
import { dialledForm, isLandline, requirePhone } from '@family-watch/domain/accounts/dto/phone-fields';
import type { SendSmsCodeDto, SmsCodeSentDto } from '@family-watch/domain/accounts/dto/sign-in.dto';
import { toAsciiDigits } from '@family-watch/domain/kernel/contracts/ascii-digits';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { rateLimitedError, ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { ipBlock } from '@family-watch/platform/http/server/ip-block';
import { continueAsPublic } from '@family-watch/platform/concurrency/work-priority';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { SmsRejectedError } from '../../sms/sms-errors.js';
import type { CodeSms } from '../../sms/sms-message.js';
import { SmsSender } from '../../sms/sms-sender.service.js';
import { AccountSecrets, type KnownDevice } from '../account-secrets.js';
import { AccountRepository } from '../account.repository.js';
import { AttemptLimiterService, RESEND_AFTER_SECONDS } from '../attempts/attempt-limiter.service.js';
import { SmsChallengeRepository } from './sms-challenge.repository.js';

/** Period in which an SMS code is valid. */
const CODE_TTL_MS = 5 * 60_000;
/** Age at which codes are deleted. */
const CODE_RETENTION_MS = 10 * 60_000;
/** Number of different codes: codes have six digits. */
const SMS_CODE_COUNT = 1_000_000;
/** Scenes in which the number becomes the number of an account. */
const NEW_PHONE_SCENES: readonly SmsScene[] = ['SIGN_UP', 'CHANGE_PHONE'];
const RETENTION_INTERVAL_MS = 60_000;
/** Last digits in which the numbers of a block differ. Carriers assign blocks of 10,000 numbers. */
const BLOCK_DIGITS = 4;

/** A challenge and its code, as a client submits them to prove possession of a phone number. */
export interface SubmittedSmsCode {
  challengeId: string;
  code: string;
}

/** A correct code that has not been consumed yet. */
export interface VerifiedCode extends Phone {
  challengeId: string;
}

/**
 * Sends SMS codes and evaluates at most five guesses per code. A correct code authorizes one operation of its scene.
 */
@Injectable()
export class SmsCodeService {
  private readonly logger = new Logger(SmsCodeService.name);

  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly challenges: SmsChallengeRepository,
    private readonly limiter: AttemptLimiterService,
    private readonly secrets: AccountSecrets,
    private readonly sender: SmsSender,
    private readonly accounts: AccountRepository,
  ) {}

  /**
   * Sends a code whether or not the phone number has an account. Response and timing do not reveal whether the phone
   * number has an account.
   * @throws ServiceError RATE_LIMITED, also for a minute after a code of the same scene was sent and not used
   * @throws ServiceError SMS_UNAVAILABLE, SMS_REJECTED
   */
  async send(request: SendSmsCodeDto, ip: string): Promise<SmsCodeSentDto> {
    const { scene } = request;
    const phone = requirePhone(request.areaCode, request.phoneNumber);
    const dialled = dialledForm(phone);
    this.assertCanReceive(dialled, scene);
    const device = await this.findKnownDevice(phone, request.deviceToken);
    if (!device) continueAsPublic(ipBlock(ip));
    const time = Date.now();
    const resendCutoff = time - RESEND_AFTER_SECONDS * 1_000;
    const unused = await this.challenges.findUnused(phone, scene, resendCutoff);
    if (unused && !device) throw createResendError(unused.createdAt, time);
    // A known device may immediately replace a code that another device requested, but not a code of its own.
    if (unused && device)
      await this.limiter.consume('sms.resend-by-device', `${device.sessionId} ${unused.challengeId}`);
    await this.consumeLimits(dialled, scene, device ?? ip);
    const challengeId = randomUUID();
    const code = String(randomInt(SMS_CODE_COUNT)).padStart(6, '0');
    const digest = this.secrets.digestCode(challengeId, code);
    const challenge = { ...phone, scene, challengeId, digest, createdAt: time, expiresAt: time + CODE_TTL_MS };
    if (device) await this.limiter.consume('sms.resend-by-device', `${device.sessionId} ${challengeId}`);
    if (!(await this.challenges.replace(challenge, resendCutoff, unused?.challengeId ?? null)))
      throw createResendError(time, time);
    await this.deliver({ ...dialled, scene, code, time });
    return { challengeId, expiresIn: CODE_TTL_MS / 1000, resendAfter: RESEND_AFTER_SECONDS };
  }

  /**
   * Counts a guess, correct or not, and compares it with the code. {@link consume} uses the correct code up, in the
   * transaction of the operation that the code authorizes.
   * @returns the phone number that received the code, or undefined when challenge or code is wrong, used up or expired
   */
  async verify({ challengeId, code }: SubmittedSmsCode, scene: SmsScene): Promise<VerifiedCode | undefined> {
    if (this.unitOfWork.isInTransaction)
      throw new Error('Guesses must be counted in a separate transaction, before the operation');
    if (!isUuid(challengeId)) return undefined;
    const challenge = await this.challenges.incrementTries(challengeId, scene, Date.now());
    if (!challenge) return undefined;
    const { digest, ...phone } = challenge;
    const matches = timingSafeEqual(digest, this.secrets.digestCode(challengeId, toAsciiDigits(code)));
    return matches ? { ...phone, challengeId } : undefined;
  }

  /**
   * Uses the code up. Exactly one concurrent caller succeeds. Must be called in the transaction of the operation that
   * the code authorizes.
   * @throws ServiceError CODE_INVALID
   */
  async consume({ challengeId }: VerifiedCode): Promise<void> {
    if (!(await this.challenges.consume(challengeId, Date.now()))) throw new ServiceError('CODE_INVALID');
  }

  @OnJob('userctx.accounts.delete-old-codes', { intervalMs: RETENTION_INTERVAL_MS })
  async deleteOld(now: number): Promise<void> {
    await this.challenges.prune(now - CODE_RETENTION_MS);
  }

  /** Returns the device if it has signed in to the account of this phone number before. */
  private async findKnownDevice(phone: Phone, deviceToken: string | undefined): Promise<KnownDevice | undefined> {
    const device = this.secrets.verifyDeviceToken(deviceToken);
    const account = device && (await this.accounts.findByPhone(phone));
    return account && account.userId === device?.userId ? device : undefined;
  }

  /** @param origin - a known device, which has separate limits, or an IP address */
  private async consumeLimits(phone: Phone, scene: SmsScene, origin: KnownDevice | string): Promise<void> {
    if (typeof origin !== 'string') {
      await this.limiter.consume('sms.device', `${origin.sessionId} ${scene}`);
      return this.limiter.consume('sms.devices', 'all');
    }
    const address = ipBlock(origin);
    const subject = `${phone.areaCode} ${phone.phoneNumber} ${scene}`;
    const block = `${phone.areaCode} ${phone.phoneNumber.slice(0, -BLOCK_DIGITS)}`;
    // The order matters: a caller over the limit of its IP address must not use up the limit of another person's phone,
    // and one over the limit of a block of numbers must not use up that of the other clients behind its address.
    this.limiter.assertNotExhausted('sms.address', address);
    await this.limiter.consume('sms.address-prefix', `${address} ${block}`);
    await this.limiter.consume('sms.address', address);
    await this.limiter.consume('sms.phone-address', `${subject} ${address}`);
    await this.limiter.consume('sms.phone', subject);
    // Codes to expensive foreign numbers must not use up the limit of all countries.
    await this.limiter.consume('sms.country', phone.areaCode);
    await this.limiter.consume('sms.all', 'all');
  }

  private assertCanReceive(phone: Phone, scene: SmsScene): void {
    // Accounts that already have a landline still receive codes, which some networks read out.
    if (NEW_PHONE_SCENES.includes(scene) && isLandline(phone)) throw new ServiceError('SMS_REJECTED');
    try {
      this.sender.assertCanReceive(phone, scene);
    } catch (cause) {
      throw new ServiceError('SMS_REJECTED', { cause });
    }
  }

  private async deliver(message: CodeSms): Promise<void> {
    try {
      await this.sender.send(message);
    } catch (cause) {
      // The error message of the SMS provider is not logged, because it may contain the phone number.
      const { code, name } = (cause ?? {}) as { code?: unknown; name?: unknown };
      this.logger.error({ msg: 'Code SMS failed', errorCode: code, errorName: name });
      if (cause instanceof SmsRejectedError) throw new ServiceError('SMS_REJECTED', { cause });
      throw new ServiceError('SMS_UNAVAILABLE', { retryAfter: 30, cause });
    }
  }
}

function createResendError(sentAt: number, now: number): ServiceError {
  return rateLimitedError('sms.resend', Math.max(1, Math.ceil((sentAt - now) / 1_000) + RESEND_AFTER_SECONDS));
}
