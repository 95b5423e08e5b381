import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import type { Algorithm } from '@node-rs/argon2';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';

/** Parameters of OWASP's password storage recommendation for argon2id. Memory in KiB. */
const ARGON2_OPTIONS = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Each hash takes 19 MiB and most of a core for about 30 ms (security ground rules: at most two concurrently). */
const MAX_RUNNING = 2;
/** Limits the queue to about one second of work. Further callers fail fast instead of waiting. */
const MAX_WAITING = 64;

/** Hashes and compares passwords with argon2id: two concurrently per process, with a bounded queue. */
@Injectable()
export class PasswordHasher implements OnModuleInit {
  private runningHashes = 0;
  private readonly waitingCallers: (() => void)[] = [];
  private cachedDummyHash?: Promise<string>;

  async onModuleInit(): Promise<void> {
    await this.dummyHash();
  }

  /** @throws ServiceError OVERLOADED when the queue is full */
  hash(password: string): Promise<string> {
    return this.runInSlot(() => this.compute(password));
  }

  /**
   * Takes the same time with and without a hash, so that timing does not reveal whether the account exists (safety
   * table A21).
   * @throws ServiceError OVERLOADED when the queue is full
   */
  async matches(password: string, passwordHash: string | null): Promise<boolean> {
    const compared = passwordHash ?? (await this.dummyHash());
    const matches = await this.runInSlot(() => this.compare(compared, password));
    return matches && passwordHash !== null;
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

  private async runInSlot<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.runningHashes >= MAX_RUNNING) await this.waitForSlot();
    else this.runningHashes += 1;
    try {
      return await work();
    } finally {
      // The slot passes directly to the next waiting caller, so that a new caller cannot overtake it.
      const next = this.waitingCallers.shift();
      if (next) next();
      else this.runningHashes -= 1;
    }
  }

  private async waitForSlot(): Promise<void> {
    if (this.waitingCallers.length >= MAX_WAITING) throw new ServiceError('OVERLOADED', { retryAfter: 2 });
    await new Promise<void>((resolve) => this.waitingCallers.push(resolve));
  }
}
