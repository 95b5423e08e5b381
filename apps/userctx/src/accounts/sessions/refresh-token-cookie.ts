import { Injectable } from '@nestjs/common';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TokensDto } from '@family-watch/domain/accounts/dto/sign-in.dto';
import { Environment } from '@family-watch/platform/config/environment';
import { SESSION_IDLE_TIMEOUT_MS, type IssuedTokens } from './session.service.js';

const COOKIE_NAME = 'family-watch-refresh-token';
/**
 * Name over HTTPS: browsers accept such a cookie only from this host and with HTTPS, so that no other host of the domain
 * can replace it (RFC 6265bis, section 4.1.3.2). It requires the path `/`.
 */
const HOST_COOKIE_NAME = `__Host-${COOKIE_NAME}`;

/** Path segment that all account operations share, on both surfaces. */
const ACCOUNT_SEGMENT = '/account/';

/**
 * Refresh token of a browser: a cookie that scripts cannot read. Without HTTPS, only the account operations receive it.
 * Builds before the name `__Host-` have stored the other cookie also over HTTPS; it is accepted until it expires, and
 * replaced by the next refresh.
 */
@Injectable()
export class RefreshTokenCookie {
  constructor(private readonly environment: Environment) {}

  read({ headers }: FastifyRequest): string | undefined {
    if (headers.cookie === undefined) return undefined;
    const cookies = parseCookie(headers.cookie);
    return cookies[HOST_COOKIE_NAME] ?? cookies[COOKIE_NAME];
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
    const { originalUrl, protocol, headers } = request;
    const path = originalUrl.slice(0, originalUrl.indexOf(ACCOUNT_SEGMENT) + ACCOUNT_SEGMENT.length - 1);
    // A proxy that ends TLS before another proxy is known only by PUBLIC_URL.
    const secure = protocol === 'https' || (this.environment.PUBLIC_URL?.startsWith('https:') ?? false);
    const attributes = { secure, httpOnly: true, sameSite: 'strict' } as const;
    const former = { ...attributes, name: COOKIE_NAME, path };
    const cookie = secure ? { ...attributes, name: HOST_COOKIE_NAME, path: '/' } : former;
    void reply.header('set-cookie', stringifySetCookie({ ...cookie, value, maxAge }));
    if (secure && COOKIE_NAME in parseCookie(headers.cookie ?? ''))
      void reply.header('set-cookie', stringifySetCookie({ ...former, value: '', maxAge: 0 }));
  }
}
