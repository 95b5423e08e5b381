import { Injectable } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { Environment } from '@family-watch/platform/config/environment';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import { AccountSecrets } from '../account-secrets.js';
import { AttemptCounterRepository } from './attempt-counter.repository.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export interface AttemptRule {
  /** Maximum number of attempts in one window. */
  attempts: number;
  windowMs: number;
}

/** Kinds of limited attempts. Some limits are configurable, the others are constants. */
export type AttemptKind = keyof ReturnType<typeof createRules>;

/**
 * Limits operations that cost money or give access to accounts. Counters are stored in the database, so all replicas
 * share the counters, and a restart does not reset them. Each attempt is counted by one statement that commits before
 * the request is rejected (decision record `attempt-limits`).
 */
@Injectable()
export class AttemptLimiterService {
  private readonly rules: Record<AttemptKind, AttemptRule>;

  constructor(
    environment: Environment,
    private readonly counters: AttemptCounterRepository,
    private readonly secrets: AccountSecrets,
    private readonly unitOfWork: UserctxUnitOfWork,
  ) {
    this.rules = createRules(environment);
  }

  /**
   * Counts one attempt of `subject`.
   * @throws ServiceError RATE_LIMITED with the seconds until the window ends
   */
  async consume(kind: AttemptKind, subject: string): Promise<void> {
    if (this.unitOfWork.isInTransaction)
      throw new Error('Attempts must be counted in a separate transaction, before the operation');
    const { attempts: allowed, windowMs } = this.rules[kind];
    const now = Date.now();
    const { attempts, windowEndsAt } = await this.counters.count(this.keyOf(kind, subject), now, windowMs);
    if (attempts <= allowed) return;
    throw new ServiceError('RATE_LIMITED', { retryAfter: Math.max(1, Math.ceil((windowEndsAt - now) / 1000)) });
  }

  /** Subtracts an attempt that turned out to be legitimate. */
  async refund(kind: AttemptKind, subject: string): Promise<void> {
    await this.counters.refund(this.keyOf(kind, subject));
  }

  private keyOf(kind: AttemptKind, subject: string): Buffer {
    return this.secrets.digestCounter(`${kind}\n${subject}`);
  }
}

function createRules(environment: Environment) {
  const perIp: AttemptRule = { attempts: environment.RATE_LIMIT_SIGN_IN, windowMs: MINUTE_MS };
  return {
    'sign-in.address': perIp,
    'sign-up.address': perIp,
    'password-reset.address': perIp,
    // A correct password refunds its attempt. The limit of wrong passwords is far below the 100 consecutive failures
    // that NIST SP 800-63B allows, and high enough for a person who forgot the password. People can still sign in with
    // SMS codes when the limit is reached.
    'password.account': { attempts: 30, windowMs: 15 * MINUTE_MS },
    'password.account.day': { attempts: 100, windowMs: 24 * HOUR_MS },
    // A friend code has 50 bits and is valid for five minutes. The limit prevents guessing, and repeated friend
    // requests and withdrawals, each of which notifies the other family.
    'friend-code.caller': { attempts: 20, windowMs: 15 * MINUTE_MS },
    // A join request with a valid family code also notifies an owner. The limit per IP address is higher, because a
    // whole school may share one IP address.
    'family-code.account': { attempts: 20, windowMs: 15 * MINUTE_MS },
    'family-code.address': { attempts: 300, windowMs: 15 * MINUTE_MS },
    'step-up.account': { attempts: 20, windowMs: 15 * MINUTE_MS },
    'sms.phone': { attempts: environment.RATE_LIMIT_SMS_PHONE, windowMs: HOUR_MS },
    'sms.address': { attempts: environment.RATE_LIMIT_SMS_ADDRESS, windowMs: HOUR_MS },
    // The SOS of one child causes far fewer SMS in an hour. The limit for alert SMS bounds the cost that a broken watch
    // can cause.
    'alert-sms.phone': { attempts: 10, windowMs: HOUR_MS },
    'sms.all': { attempts: environment.RATE_LIMIT_SMS_TOTAL, windowMs: HOUR_MS },
  } satisfies Record<string, AttemptRule>;
}
