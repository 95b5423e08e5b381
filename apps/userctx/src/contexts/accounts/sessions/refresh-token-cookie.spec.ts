import { describe, expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '@family-watch/platform/config/environment';
import { RefreshTokenCookie } from './refresh-token-cookie.js';
import type { IssuedTokens } from './session.service.js';

const TOKENS = { accessToken: 'access', refreshToken: 'refresh' } as IssuedTokens;

function setCookieOf(protocol: string, settings: Partial<Environment>): string | undefined {
  let setCookie: string | undefined;
  const request = { protocol, originalUrl: '/apis/v2/userctx/user/account/sign-in', headers: {} } as FastifyRequest;
  const reply = { header: (_: string, value: string) => (setCookie = value) } as unknown as FastifyReply;
  new RefreshTokenCookie(Object.assign(new Environment(), settings)).store(TOKENS, request, reply);
  return setCookie;
}

describe('RefreshTokenCookie', () => {
  it.each([
    ['https', {}, true],
    ['http', { PUBLIC_URL: 'https://watch.example.com' }, true],
    ['http', { PUBLIC_URL: 'http://192.168.1.2:8080' }, false],
    ['http', {}, false],
  ])('sets a cookie for a request over %s with %j; Secure: %s', (protocol, settings, isSecure) => {
    expect(setCookieOf(protocol, settings)?.includes('; Secure')).toBe(isSecure);
  });
});
