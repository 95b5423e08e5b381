import type { FastifyReply } from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';

/**
 * Limits requests per minute and caller. Each process counts separately, because the limit protects the process, not
 * the account.
 */
export class RequestLimiter {
  private readonly limiter: RateLimiterMemory;

  constructor(requestsPerMinute: number) {
    this.limiter = new RateLimiterMemory({ keyPrefix: 'requests', points: requestsPerMinute, duration: 60 });
  }

  /** @throws ServiceError RATE_LIMITED with the seconds to wait */
  async consume(key: string, reply: FastifyReply): Promise<void> {
    try {
      const { remainingPoints } = await this.limiter.consume(key);
      void reply.header('x-ratelimit-remaining', remainingPoints);
    } catch (rejection) {
      if (!(rejection instanceof RateLimiterRes)) throw rejection;
      throw new ServiceError('RATE_LIMITED', { retryAfter: Math.max(1, Math.ceil(rejection.msBeforeNext / 1000)) });
    }
  }
}
