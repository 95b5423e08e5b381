import { describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RevocationFeed, TokenFacts } from '@family-watch/domain/kernel/contracts/revocation';
import { Authenticator } from './authenticator.js';
import type { TokenVerifier } from './token-verifier.js';

const VERIFIED = {
  principal: { type: 'user', id: 'u-1', sessionId: 's-1' },
  issuedAt: 1_790_000_000_000,
  expiresAt: 1_790_000_600_000,
} as const;

function authenticator(feed: Partial<RevocationFeed> = {}): { authenticator: Authenticator; verified: string[] } {
  const verified: string[] = [];
  const verifier: Pick<TokenVerifier, 'verify'> = {
    verify: async (token) => {
      verified.push(token);
      return VERIFIED;
    },
  };
  const quiet: RevocationFeed = {
    isFresh: true,
    isRevoked: () => false,
    onRevoked: () => () => undefined,
    onFreshness: () => () => undefined,
  };
  return {
    authenticator: new Authenticator(verifier as TokenVerifier, Object.assign(feed, { ...quiet, ...feed })),
    verified,
  };
}

describe('Authenticator', () => {
  it('takes a Bearer token, however the scheme is written', async () => {
    const { authenticator: subject, verified } = authenticator();
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      expect(await subject.authenticate(`${scheme} t-1`)).toEqual(VERIFIED.principal);
    }
    expect(verified).toEqual(['t-1', 't-1', 't-1']);
  });

  it.each([undefined, '', 'Bearer', 'Bearer ', 't-1', 'Basic dTpw', 'Bearer a b', ' Bearer t-1'])(
    'misses a token in %p',
    async (header) => {
      const { authenticator: subject, verified } = authenticator();
      await expect(subject.authenticate(header)).rejects.toMatchObject({ reason: 'TOKEN_MISSING', status: 401 });
      expect(verified).toEqual([]);
    },
  );

  it('asks the feed about principal, session and time of the token, on every use', async () => {
    const asked: TokenFacts[] = [];
    const isRevoked = (token: TokenFacts): boolean => asked.push(token) > 1;
    const { authenticator: subject } = authenticator({ isRevoked });
    await expect(subject.authenticate('Bearer t-1')).resolves.toEqual(VERIFIED.principal);
    await expect(subject.authenticate('Bearer t-1')).rejects.toMatchObject({ reason: 'TOKEN_REVOKED', status: 401 });
    expect(asked[0]).toEqual({ principal: 'user:u-1', sessionId: 's-1', issuedAt: VERIFIED.issuedAt });
  });

  it('waits for a feed that is silent for a moment only, and no longer than that', async () => {
    const feed = { isFresh: false };
    const { authenticator: subject } = authenticator(feed);
    const began = performance.now();
    const waiting = [subject.verify('t-1'), subject.verify('t-2')];
    await sleep(50);
    feed.isFresh = true;
    expect(await Promise.all(waiting)).toEqual([VERIFIED, VERIFIED]);
    expect(performance.now() - began).toBeLessThan(900);
  });

  it('closes the door while the feed is silent, and lets nobody wait before a closed one', async () => {
    const feed = { isFresh: false };
    const { authenticator: subject } = authenticator(feed);
    const stale = { reason: 'REVOCATIONS_STALE', status: 503, retryAfter: 2 };
    await expect(subject.authenticate('Bearer t-1')).rejects.toMatchObject(stale);
    const began = performance.now();
    await expect(subject.authenticate('Bearer t-1')).rejects.toMatchObject(stale);
    expect(performance.now() - began).toBeLessThan(500);
    feed.isFresh = true;
    await subject.authenticate('Bearer t-1');
    feed.isFresh = false;
    const waiting = subject.authenticate('Bearer t-1');
    await sleep(50);
    feed.isFresh = true;
    expect(await waiting).toEqual(VERIFIED.principal);
  });
});
