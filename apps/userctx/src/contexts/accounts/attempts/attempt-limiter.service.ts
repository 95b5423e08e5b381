import { Injectable } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { Environment } from '@family-watch/platform/config/environment';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import { AccountSecrets } from '../account-secrets.js';
import { AttemptCounterRepository } from './attempt-counter.repository.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export interface AttemptRule {
  /** Attempts in one window. */
  attempts: number;
  windowMs: number;
}

/** What is limited; the rules that the configuration sets, and the fixed ones. */
export type AttemptKind = keyof ReturnType<typeof rulesOf>;

/**
 * Limits on what costs money or opens accounts. They stand in the database, so that replicas share them and a restart
 * forgives nothing; each attempt is counted by one statement that commits before anything is refused
 * (decision record `attempt-limits`).
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
    this.rules = rulesOf(environment);
  }

  /**
   * Counts one attempt of `subject`.
   * @throws ServiceError RATE_LIMITED with the seconds until the window ends
   */
  async consume(kind: AttemptKind, subject: string): Promise<void> {
    if (this.unitOfWork.isOpen) throw new Error('An attempt is counted in a unit of its own, before the work');
    const { attempts: allowed, windowMs } = this.rules[kind];
    const now = Date.now();
    const { attempts, windowEndsAt } = await this.counters.count(this.keyOf(kind, subject), now, windowMs);
    if (attempts <= allowed) return;
    throw new ServiceError('RATE_LIMITED', { retryAfter: Math.max(1, Math.ceil((windowEndsAt - now) / 1000)) });
  }

  /** Takes an attempt back that turned out to be rightful. */
  async refund(kind: AttemptKind, subject: string): Promise<void> {
    await this.counters.refund(this.keyOf(kind, subject));
  }

  private keyOf(kind: AttemptKind, subject: string): Buffer {
    return this.secrets.digestCounter(`${kind}\n${subject}`);
  }
}

function rulesOf(environment: Environment) {
  const perAddress: AttemptRule = { attempts: environment.RATE_LIMIT_SIGN_IN, windowMs: MINUTE_MS };
  return {
    'sign-in.address': perAddress,
    'sign-up.address': perAddress,
    'password-reset.address': perAddress,
    // A right password takes its attempt back. Far below the 100 failures in a row that NIST SP 800-63B allows, and
    // wide enough that a person who forgot meets it after the second coffee; codes still work meanwhile.
    'password.account': { attempts: 30, windowMs: 15 * MINUTE_MS },
    'password.account.day': { attempts: 100, windowMs: 24 * HOUR_MS },
    // A code has 50 bits and lives five minutes: this is for the child who guesses, and for whoever applies, takes it
    // back and applies again, each of which the other family is told.
    'friend-code.caller': { attempts: 20, windowMs: 15 * MINUTE_MS },
    // Each right one is told to an owner, too. An address may be a whole school's.
    'family-code.account': { attempts: 20, windowMs: 15 * MINUTE_MS },
    'family-code.address': { attempts: 300, windowMs: 15 * MINUTE_MS },
    'step-up.account': { attempts: 20, windowMs: 15 * MINUTE_MS },
    'sms.phone': { attempts: environment.RATE_LIMIT_SMS_PHONE, windowMs: HOUR_MS },
    'sms.address': { attempts: environment.RATE_LIMIT_SMS_ADDRESS, windowMs: HOUR_MS },
    // Far more than a child calls for help in an hour, and a bound on what a broken watch may cost.
    'alert-sms.phone': { attempts: 10, windowMs: HOUR_MS },
    'sms.all': { attempts: environment.RATE_LIMIT_SMS_TOTAL, windowMs: HOUR_MS },
  } satisfies Record<string, AttemptRule>;
}
