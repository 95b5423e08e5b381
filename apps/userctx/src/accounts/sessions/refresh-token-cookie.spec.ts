import { describe, expect, test } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '@family-watch/platform/config/environment';
import { RefreshTokenCookie } from './refresh-token-cookie.js';
import type { IssuedTokens } from './session.service.js';

const TOKENS = { accessToken: 'access', refreshToken: 'refresh' } as IssuedTokens;

function requestOf(protocol: string, cookie?: string): FastifyRequest {
  return { protocol, originalUrl: '/apis/v2/userctx/user/account/sign-in', headers: { cookie } } as FastifyRequest;
}

function setCookiesOf(protocol: string, settings: Partial<Environment>, cookie?: string): string[] {
  const values: string[] = [];
  const reply = { header: (_: string, value: string) => values.push(value) } as unknown as FastifyReply;
  new RefreshTokenCookie(Object.assign(new Environment(), settings)).store(TOKENS, requestOf(protocol, cookie), reply);
  return values;
}

describe('RefreshTokenCookie', () => {
  test.each([
    ['https', {}, true],
    ['http', { PUBLIC_URL: 'https://watch.example.com' }, true],
    ['http', { PUBLIC_URL: 'http://192.168.1.2:8080' }, false],
    ['http', {}, false],
  ])('sets a cookie for a request over %s with %j; Secure: %s', (protocol, settings, isSecure) => {
    expect(setCookiesOf(protocol, settings).map((cookie) => cookie.includes('; Secure'))).toEqual([isSecure]);
  });

  test('sets over HTTPS only a cookie of this host, which no other host of the domain can replace', () => {
    expect(setCookiesOf('https', {})).toEqual([
      '__Host-family-watch-refresh-token=refresh; Max-Age=2592000; Path=/; HttpOnly; Secure; SameSite=Strict',
    ]);
  });

  test('keeps name and path of the cookie without HTTPS', () => {
    expect(setCookiesOf('http', {})).toEqual([
      'family-watch-refresh-token=refresh; Max-Age=2592000; Path=/apis/v2/userctx/user/account; HttpOnly; SameSite=Strict',
    ]);
  });

  test('accepts a cookie of a former build over HTTPS, and replaces it', () => {
    const former = 'family-watch-refresh-token=former';
    const { read } = RefreshTokenCookie.prototype;
    expect(read(requestOf('https', former))).toBe('former');
    expect(setCookiesOf('https', {}, former)).toEqual([
      expect.stringMatching(/^__Host-family-watch-refresh-token=refresh;/),
      expect.stringMatching(
        /^family-watch-refresh-token=; Max-Age=0; Path=\/apis\/v2\/userctx\/user\/account; HttpOnly; Secure;/,
      ),
    ]);
    expect(read(requestOf('https', `${former}; __Host-family-watch-refresh-token=own`))).toBe('own');
  });
});
