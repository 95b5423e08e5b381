import { randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { hash, verify, type Algorithm } from '@node-rs/argon2';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { Semaphore } from '@family-watch/platform/concurrency/semaphore';
import { currentWork } from '@family-watch/platform/concurrency/work-priority';

/** Parameters of OWASP's password storage recommendation for argon2id. Memory in KiB. */
// oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- isolated modules cannot read a const enum
const ARGON2_OPTIONS = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/**
 * Each hash takes 19 MiB and most of a core for about 30 ms, so at most two are computed concurrently. Each queue
 * contains at most about a second of work, or two if all passwords are compared in two forms; further callers fail
 * fast. Callers who proved who they are, or whose device is known, have a slot and a queue that unknown callers cannot
 * fill. One person, or one address of unknown callers, cannot fill a queue.
 */
const HASHING_LIMITS = {
  known: { running: 2, waiting: 64, perOwner: { running: 1, waiting: 16 } },
  unknown: { running: 1, waiting: 32, perOwner: { running: 1, waiting: 16 } },
};

/** `unknown` is a caller without a session, a correct SMS code or a known device. */
export type HashingCaller = keyof typeof HASHING_LIMITS;

/**
 * Returns the form in which a password is hashed and compared (NIST SP 800-63B, 5.1.1.2): devices send the same letters
 * as one character or as several.
 */
function normalizePassword(password: string): string {
  return password.normalize('NFKC');
}

/** Hashes and compares passwords with argon2id: two concurrently per process, with bounded queues. */
@Injectable()
export class PasswordHasher implements OnModuleInit {
  private readonly slots = new Semaphore(HASHING_LIMITS);
  private cachedDummyHash?: Promise<string>;

  async onModuleInit(): Promise<void> {
    await this.dummyHash();
  }

  /**
   * Hashes the new password of a caller who has a session or a correct SMS code.
   * @throws ServiceError OVERLOADED when the queue is full, TOO_MANY_CONCURRENT_REQUESTS when its part for the caller is
   */
  hash(password: string): Promise<string> {
    return this.slots.run('known', () => this.compute(normalizePassword(password)), currentWork());
  }

  /**
   * Takes the same time with and without a hash, so that timing does not reveal whether the account exists.
   * @param renew - stores the hash that replaces `passwordHash`, which an earlier build computed of the password as it
   * was typed
   * @throws ServiceError OVERLOADED when the queue is full, TOO_MANY_CONCURRENT_REQUESTS when its part for the caller is
   */
  async matches(
    password: string,
    passwordHash: string | null,
    caller: HashingCaller,
    renew: (passwordHash: string) => Promise<void>,
  ): Promise<boolean> {
    const compared = passwordHash ?? (await this.dummyHash());
    const normalized = normalizePassword(password);
    const { matches, newHash } = await this.slots.run(
      caller,
      async () => {
        if (await this.compare(compared, normalized)) return { matches: true };
        if (password === normalized || !(await this.compare(compared, password))) return { matches: false };
        return { matches: true, newHash: await this.compute(normalized) };
      },
      currentWork(),
    );
    if (newHash !== undefined) await renew(newHash);
    return matches && passwordHash !== null;
  }

  /** @throws ServiceError OVERLOADED, TOO_MANY_CONCURRENT_REQUESTS when the queue of the caller is full */
  assertAccepting(caller: HashingCaller): void {
    this.slots.assertAccepting(caller, currentWork().owner);
  }

  protected compute(password: string): Promise<string> {
    return hash(password, ARGON2_OPTIONS);
  }

  protected compare(passwordHash: string, password: string): Promise<boolean> {
    return verify(passwordHash, password);
  }

  private dummyHash(): Promise<string> {
    return (this.cachedDummyHash ??= this.hash(randomBytes(32).toString('base64')));
  }
}

/**
 * Scores of zxcvbn range from 0 to 4. A password with score 2 withstands a million guesses, more than the attempt
 * limits allow in decades.
 */
const MIN_PASSWORD_SCORE = 2;
/** Only the first 64 characters are evaluated, because the cost grows faster than the length of the password. */
const MAX_EVALUATED_CHARACTERS = 64;
/** Words that attackers of this service would try first. */
const SERVICE_WORDS = ['family', 'watch', 'familywatch', 'woaini', 'password', 'admin'];

/** Rejects passwords that are common or easy to guess. */
@Injectable()
export class PasswordStrength {
  /**
   * @param words known facts about the person, such as phone number and nickname
   * @throws ServiceError PASSWORD_TOO_WEAK
   */
  async assertStrong(password: string, words: readonly string[] = []): Promise<void> {
    // Loaded with the first password, because the dictionaries would be 4 % of the time of each start.
    const { ESTIMATOR } = await import('./password-estimator.js');
    const evaluated = normalizePassword(password).slice(0, MAX_EVALUATED_CHARACTERS);
    if (ESTIMATOR.check(evaluated, [...SERVICE_WORDS, ...words]).score >= MIN_PASSWORD_SCORE) return;
    const message = 'choose a longer password that is not a common word, name, date or pattern';
    throw new ServiceError('PASSWORD_TOO_WEAK', { details: [{ field: 'password', rule: 'isStrong', message }] });
  }
}
