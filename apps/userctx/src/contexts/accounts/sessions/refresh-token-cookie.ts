import { Injectable } from '@nestjs/common';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TokensDto } from '@family-watch/domain/accounts/dto/sign-in.dto';
import { Environment } from '@family-watch/platform/config/environment';
import { SESSION_IDLE_TIMEOUT_MS } from './session.service.js';
import type { IssuedTokens } from './session.service.js';

const COOKIE_NAME = 'family-watch-refresh-token';

/** Path segment that all account operations share, on both surfaces. */
const ACCOUNT_SEGMENT = '/account/';

/** Refresh token of a browser: a cookie that scripts cannot read and that only the account operations receive. */
@Injectable()
export class RefreshTokenCookie {
  constructor(private readonly environment: Environment) {}

  read({ headers }: FastifyRequest): string | undefined {
    return headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[COOKIE_NAME];
  }

  /** Moves the refresh token to the cookie. Returns the other tokens. */
  store({ refreshToken, ...tokens }: IssuedTokens, request: FastifyRequest, reply: FastifyReply): TokensDto {
    this.set(refreshToken, SESSION_IDLE_TIMEOUT_MS / 1_000, request, reply);
    return tokens;
  }

  delete(request: FastifyRequest, reply: FastifyReply): void {
    this.set('', 0, request, reply);
  }

  private set(value: string, maxAge: number, request: FastifyRequest, reply: FastifyReply): void {
    const { originalUrl, protocol } = request;
    const path = originalUrl.slice(0, originalUrl.indexOf(ACCOUNT_SEGMENT) + ACCOUNT_SEGMENT.length - 1);
    // A proxy that ends TLS before another proxy is known only by PUBLIC_URL.
    const secure = protocol === 'https' || (this.environment.PUBLIC_URL?.startsWith('https:') ?? false);
    const cookie = { name: COOKIE_NAME, value, path, maxAge, secure, httpOnly: true, sameSite: 'strict' } as const;
    void reply.header('set-cookie', stringifySetCookie(cookie));
  }
}
