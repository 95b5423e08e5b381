import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { Environment } from '../config/environment.js';
import { continueAsCaller } from '../process/work-priority.js';
import { ipBlock } from './ip-block.js';

/**
 * Kinds of limited requests: of authenticated callers, of addresses without a token (counted per operation), and reads
 * and uploads of files by link.
 */
export type RequestKind = 'caller' | 'address' | 'file';

/**
 * Limits requests per minute. Each process counts separately, because the limit protects the process, not the account.
 */
@Injectable()
export class RequestLimiter {
  private readonly limiters: Readonly<Record<RequestKind, RateLimiterMemory>>;

  constructor(environment: Environment) {
    const perMinute = (points: number) => new RateLimiterMemory({ points, duration: 60 });
    this.limiters = {
      caller: perMinute(environment.RATE_LIMIT_CALLER_REQUESTS),
      address: perMinute(environment.RATE_LIMIT_REQUESTS),
      file: perMinute(environment.RATE_LIMIT_FILE_REQUESTS),
    };
  }

  /** @throws ServiceError RATE_LIMITED with the seconds to wait */
  async consume(kind: RequestKind, key: string, reply?: FastifyReply): Promise<void> {
    try {
      const { remainingPoints } = await this.limiters[kind].consume(key);
      void reply?.header('x-ratelimit-remaining', remainingPoints);
    } catch (rejection) {
      if (!(rejection instanceof RateLimiterRes)) throw rejection;
      throw new ServiceError('RATE_LIMITED', { retryAfter: Math.max(1, Math.ceil(rejection.msBeforeNext / 1000)) });
    }
  }

  /**
   * Counts a request with a file's link: for the holder of a genuine link, otherwise for the address. Guesses therefore
   * never stop the holders of links behind the same address.
   * @throws ServiceError RATE_LIMITED with the seconds to wait
   */
  async consumeFileLink(holder: PrincipalKey | undefined, ip: string): Promise<void> {
    if (holder === undefined) return this.consume('address', `file-link ${ipBlock(ip)}`);
    await this.consume('file', holder);
    // The holder of a genuine link is an authenticated caller.
    continueAsCaller();
  }
}
