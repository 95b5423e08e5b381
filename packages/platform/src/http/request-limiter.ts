import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { Environment } from '../config/environment.js';
import { continueAsCaller } from '../process/work-priority.js';
import { ipBlock } from './ip-block.js';

/**
 * Kinds of limited requests: `caller` for requests of authenticated callers, `address` for requests without a token
 * (counted per IP address and operation), `file` for reads and uploads of files, `callback` for requests of external
 * providers (counted like `address`), `site` for files of the console and the documents.
 */
export type RequestKind = 'caller' | 'address' | 'file' | 'callback' | 'site';

/** Limits requests per minute. Each process counts separately, because the limits protect the process. */
@Injectable()
export class RequestLimiter {
  private readonly limiters: Readonly<Record<RequestKind, RateLimiterMemory>>;

  constructor(environment: Environment) {
    const perMinute = (points: number) => new RateLimiterMemory({ points, duration: 60 });
    this.limiters = {
      caller: perMinute(environment.RATE_LIMIT_CALLER_REQUESTS),
      address: perMinute(environment.RATE_LIMIT_REQUESTS),
      file: perMinute(environment.RATE_LIMIT_FILE_REQUESTS),
      callback: perMinute(environment.RATE_LIMIT_CALLBACKS),
      site: perMinute(environment.RATE_LIMIT_SITE_REQUESTS),
    };
  }

  /** Counts a request. @throws ServiceError RATE_LIMITED with the seconds to wait */
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
   * Counts a request with the URL of a file: for the principal for whom the service created the URL, or for the IP
   * address if the URL is not valid. Requests with guessed URLs therefore never block clients with valid URLs behind
   * the same address.
   *
   * @param principal - undefined if the URL is not valid
   * @throws ServiceError RATE_LIMITED with the seconds to wait
   */
  async consumeFileLink(principal: PrincipalKey | undefined, ip: string): Promise<void> {
    if (principal === undefined) return this.consume('address', `file-link ${ipBlock(ip)}`);
    await this.consume('file', principal);
    // A valid URL authenticates the principal for whom the service created it.
    continueAsCaller(principal);
  }
}
