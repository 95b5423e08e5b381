import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { rateLimitedError, type ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { Environment } from '@family-watch/platform/config/environment';
import { counter } from '@family-watch/platform/observability/instruments';
import { addressFactorOf } from '@family-watch/platform/http/server/carrier-networks';
import { ipBlock } from '@family-watch/platform/http/server/ip-block';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { entryLimit } from '@family-watch/platform/concurrency/entry-limit';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { AccountSecrets, type KnownDevice } from '../account-secrets.js';
import { AttemptCounterRepository } from './attempt-counter.repository.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const REJECTED = counter('attempts_rejected_total', 'Attempts beyond a limit.', ['app', 'kind']);

/**
 * Maximum number of keys in memory whose limit is used up, about 100 bytes each. When the maximum is exceeded, the
 * attempts of the least recently used key are counted in the database again.
 */
const MAX_EXHAUSTED_KEYS = 50_000;

/**
 * Seconds after which a caller can request another SMS code of the same scene. A caller that has used the first code
 * can request the next one earlier.
 */
export const RESEND_AFTER_SECONDS = 60;

export interface AttemptRule {
  /** Maximum number of attempts in one window; Infinity if attempts are not limited and not counted. */
  maxAttempts: number | ((subject: string) => number);
  windowMs: number;
}

/** Kinds of limited attempts. Some limits are configurable, the others are constants. */
export type AttemptKind = keyof ReturnType<typeof createRules>;

/** A kind of limited attempt, and the subject whose attempts are counted, such as a phone number. */
export type Attempt = readonly [AttemptKind, string];

/**
 * Limits operations that cost money or give access to accounts. Counters are stored in the database, so all replicas
 * share the counters, and a restart does not reset them. Each attempt is counted by one statement that commits before
 * the request is rejected (docs/decisions/12-attempt-limits.md).
 */
@Injectable()
export class AttemptLimiterService {
  private readonly rules: Record<AttemptKind, AttemptRule>;
  /**
   * End of the window of each key whose limit is used up, in Unix milliseconds. Attempts of the key are rejected
   * without a query until its window ends.
   */
  private readonly exhausted = new LRUCache<string, number>(entryLimit(MAX_EXHAUSTED_KEYS));

  constructor(
    environment: Environment,
    private readonly counters: AttemptCounterRepository,
    private readonly secrets: AccountSecrets,
    private readonly unitOfWork: UserctxUnitOfWork,
  ) {
    this.rules = createRules(environment);
    for (const kind of Object.keys(this.rules)) REJECTED.inc({ app: 'userctx', kind }, 0);
  }

  /**
   * Counts one attempt of `subject`, such as a phone number, an IP address or a user id.
   * @throws ServiceError RATE_LIMITED with the seconds until the window ends
   */
  async consume(kind: AttemptKind, subject: string): Promise<void> {
    if (this.unitOfWork.isInTransaction)
      throw new Error('Attempts must be counted in a separate transaction, before the operation');
    const { maxAttempts: limit, windowMs }: AttemptRule = this.rules[kind];
    const maxAttempts = typeof limit === 'number' ? limit : limit(subject);
    if (maxAttempts === Infinity) return;
    const now = Date.now();
    const key = this.keyOf(kind, subject);
    this.assertNotExhausted(kind, subject);
    const { attempts, windowEndsAt } = await this.counters.count(key, now, windowMs);
    if (attempts <= maxAttempts) return;
    this.exhausted.set(key.toString('base64'), windowEndsAt);
    throw this.reject(kind, windowEndsAt - now);
  }

  /**
   * Rejects an attempt beyond a limit without a query. An operation with several limits checks all of them before it
   * counts the first.
   * @throws ServiceError RATE_LIMITED with the seconds until the window ends
   */
  assertNotExhausted(kind: AttemptKind, subject: string): void {
    const now = Date.now();
    const exhaustedUntil = this.exhausted.get(this.keyOf(kind, subject).toString('base64')) ?? 0;
    if (exhaustedUntil > now) throw this.reject(kind, exhaustedUntil - now);
  }

  /**
   * Counts a sign-in or password reset: per device if the device has signed in before, otherwise per IP address.
   * @throws ServiceError RATE_LIMITED with the seconds until the window ends
   */
  consumeByOrigin(kind: 'sign-in' | 'password-reset', device: KnownDevice | undefined, ip: string): Promise<void> {
    return device ? this.consume(`${kind}.device`, device.sessionId) : this.consume(`${kind}.address`, ipBlock(ip));
  }

  /** Returns whether the rule permits any attempts of `subject`. */
  isEverPermitted(kind: AttemptKind, subject: string): boolean {
    const { maxAttempts }: AttemptRule = this.rules[kind];
    return (typeof maxAttempts === 'number' ? maxAttempts : maxAttempts(subject)) > 0;
  }

  /** Subtracts attempts that turned out to be legitimate, in one statement. */
  async refund(attempts: readonly Attempt[]): Promise<void> {
    const keys = attempts.map(([kind, subject]) => this.keyOf(kind, subject));
    for (const key of keys) this.exhausted.delete(key.toString('base64'));
    await this.counters.refund(keys);
  }

  @OnJob('userctx.accounts.delete-ended-counters', { intervalMs: MINUTE_MS })
  async deleteEndedWindows(now: number): Promise<void> {
    await this.counters.prune(now);
  }

  private reject(kind: AttemptKind, waitMs: number): ServiceError {
    REJECTED.inc({ app: 'userctx', kind });
    return rateLimitedError(kind, Math.max(1, Math.ceil(waitMs / 1000)));
  }

  private keyOf(kind: AttemptKind, subject: string): Buffer {
    return this.secrets.digestCounter(`${kind}\n${subject}`);
  }
}

function createRules(environment: Environment) {
  const factorOf = addressFactorOf(environment);
  const perAddress = (limit: number) => (address: string) => limit * factorOf(address);
  const perDevice: AttemptRule = { maxAttempts: environment.RATE_LIMIT_SIGN_IN, windowMs: MINUTE_MS };
  const perIp: AttemptRule = { maxAttempts: perAddress(environment.RATE_LIMIT_SIGN_IN), windowMs: MINUTE_MS };
  return {
    'sign-in.address': perIp,
    'sign-up.address': perIp,
    'password-reset.address': perIp,
    // A correct password refunds its attempt. The limits are far below the 100 consecutive failures that NIST SP
    // 800-63B allows, and high enough for a person who forgot the password. An IP address may use only a part of the
    // limit of a phone number, so that one address cannot use up the whole limit. A known device has its own limits.
    'password.account': { maxAttempts: 30, windowMs: 15 * MINUTE_MS },
    'password.account.day': { maxAttempts: 100, windowMs: 24 * HOUR_MS },
    'password.account-address': { maxAttempts: 10, windowMs: 15 * MINUTE_MS },
    'password.account-address.day': { maxAttempts: 40, windowMs: 24 * HOUR_MS },
    'password.device': { maxAttempts: 20, windowMs: 15 * MINUTE_MS },
    'password.device.day': { maxAttempts: 60, windowMs: 24 * HOUR_MS },
    // Sign-ins and password resets of a known device are limited per device, not per IP address.
    'sign-in.device': perDevice,
    'password-reset.device': perDevice,
    // A friend code has 50 bits and is valid for five minutes. The limit prevents guesses of friend codes, and repeated
    // friend requests and withdrawals, each of which notifies the other family.
    'friend-code.caller': { maxAttempts: 20, windowMs: 15 * MINUTE_MS },
    // A join request with a valid family code also notifies an owner. The limit per IP address is higher, because a
    // whole school may share one IP address.
    'family-code.account': { maxAttempts: 20, windowMs: 15 * MINUTE_MS },
    'family-code.address': { maxAttempts: perAddress(300), windowMs: 15 * MINUTE_MS },
    'step-up.account': { maxAttempts: 20, windowMs: 15 * MINUTE_MS },
    // Codes of the second factor, counted after a correct password: per known device, otherwise per operator.
    'operator-code': { maxAttempts: 10, windowMs: 15 * MINUTE_MS },
    'operator-code.day': { maxAttempts: 40, windowMs: 24 * HOUR_MS },
    // Codes of the second factor without a correct password, while the attempts of the name are used up: per operator.
    'operator-code.holder': { maxAttempts: 40, windowMs: 24 * HOUR_MS },
    // Entries of rejected requests in the audit list, per operator. Further rejections leave no entry.
    'operator-rejection': { maxAttempts: 50, windowMs: HOUR_MS },
    // SMS codes are limited per scene (sign-up, sign-in, …), so that requests for codes of one scene do not prevent
    // requests for codes of another scene. An IP address may use only a part of the limit of a phone number.
    'sms.phone': { maxAttempts: environment.RATE_LIMIT_SMS_PHONE, windowMs: HOUR_MS },
    'sms.phone-address': { maxAttempts: Math.ceil(environment.RATE_LIMIT_SMS_PHONE * 0.6), windowMs: HOUR_MS },
    'sms.address': { maxAttempts: perAddress(environment.RATE_LIMIT_SMS_ADDRESS), windowMs: HOUR_MS },
    // The subject is the IP address and, after a space, the block of phone numbers.
    'sms.address-prefix': {
      maxAttempts: (subject: string) => environment.RATE_LIMIT_SMS_PREFIX * factorOf(subject.split(' ')[0] ?? ''),
      windowMs: HOUR_MS,
    },
    'sms.device': { maxAttempts: environment.RATE_LIMIT_SMS_PHONE, windowMs: HOUR_MS },
    // A known device cannot replace a code that it has requested in the last minute. Attempts are
    // counted per device and code.
    'sms.resend-by-device': { maxAttempts: 1, windowMs: RESEND_AFTER_SECONDS * 1_000 },
    'sms.devices': { maxAttempts: environment.RATE_LIMIT_SMS_TOTAL, windowMs: HOUR_MS },
    // The limit for alert SMS is far above the number that the SOS of one child causes in an hour. The limit bounds the
    // cost that a broken watch can cause.
    'alert-sms.family-phone': { maxAttempts: 10, windowMs: HOUR_MS },
    // The SMS of all families to a phone number without an account; the first one about an SOS is sent beyond it.
    'alert-sms.phone': { maxAttempts: 10, windowMs: HOUR_MS },
    // All alert SMS of a family together. Beyond this limit, first ones about an SOS have a reserve.
    'alert-sms.family': { maxAttempts: 100, windowMs: HOUR_MS },
    'alert-sms.family-first': { maxAttempts: 20, windowMs: HOUR_MS },
    // The SMS to a member of the family that are sent beyond all limits: one, and the one that replaces it if it does not
    // reach the phone. Members have shown by a code that the number is theirs.
    'alert-sms.member': { maxAttempts: 2, windowMs: HOUR_MS },
    // The SMS of a family to contacts without an account that are sent beyond all limits, so that no other families can
    // use up the first SMS about an SOS. More of them would be too expensive for the operator.
    'alert-sms.family-contacts': { maxAttempts: 2, windowMs: HOUR_MS },
    // These SMS of all families together.
    'alert-sms.contacts': { maxAttempts: environment.RATE_LIMIT_SMS_TOTAL, windowMs: HOUR_MS },
    // Alerts have the limits of codes, counted separately. The subject is the country calling code.
    'alert-sms.country': { maxAttempts: createCountryLimits(environment), windowMs: HOUR_MS },
    'alert-sms.all': { maxAttempts: environment.RATE_LIMIT_SMS_TOTAL, windowMs: HOUR_MS },
    // Decides whether an alert was counted before, so that further attempts to send it are not counted.
    'alert-sms.alert': { maxAttempts: 1, windowMs: HOUR_MS },
    // Decides whether an SMS is the first one about an SOS to a contact.
    'alert-sms.contact': { maxAttempts: 1, windowMs: HOUR_MS },
    // The subject is the country calling code.
    'sms.country': { maxAttempts: createCountryLimits(environment), windowMs: HOUR_MS },
    'sms.all': { maxAttempts: environment.RATE_LIMIT_SMS_TOTAL, windowMs: HOUR_MS },
  } satisfies Record<string, AttemptRule>;
}

/** Returns a function from a country calling code to the maximum number of SMS codes per hour. */
function createCountryLimits({
  SMS_COUNTRY_LIMITS,
  RATE_LIMIT_SMS_COUNTRY,
}: Environment): (areaCode: string) => number {
  const entries = SMS_COUNTRY_LIMITS.split(',').map((entry) => entry.split('=') as [string, string?]);
  const limits = new Map(
    entries.map(([areaCode, limit]) => [areaCode, limit === undefined ? Infinity : Number(limit)]),
  );
  return (areaCode) => limits.get(areaCode) ?? RATE_LIMIT_SMS_COUNTRY;
}
