import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RevocationFeed, TokenIdentity } from '@family-watch/domain/kernel/contracts/revocation';
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
    const asked: TokenIdentity[] = [];
    const isRevoked = (token: TokenIdentity): boolean => asked.push(token) > 1;
    const { authenticator: subject } = authenticator({ isRevoked });
    await expect(subject.authenticate('Bearer t-1')).resolves.toEqual(VERIFIED.principal);
    await expect(subject.authenticate('Bearer t-1')).rejects.toMatchObject({ reason: 'TOKEN_REVOKED', status: 401 });
    expect(asked[0]).toEqual({ principal: 'user:u-1', sessionId: 's-1', issuedAt: VERIFIED.issuedAt });
  });

  describe('while the feed is silent', () => {
    let now: number;
    beforeEach(() => {
      now = 0;
      // Patience runs out when a test says so, however busy the machine is.
      jest.spyOn(performance, 'now').mockImplementation(() => now);
    });
    afterEach(() => void jest.restoreAllMocks());

    it('waits for a moment, and goes on when the feed is heard', async () => {
      const feed = { isFresh: false };
      const { authenticator: subject } = authenticator(feed);
      const waiting = [subject.verify('t-1'), subject.verify('t-2')];
      await sleep(50);
      feed.isFresh = true;
      expect(await Promise.all(waiting)).toEqual([VERIFIED, VERIFIED]);
    });

    it('closes the door when patience has run out, and lets nobody wait before a closed one', async () => {
      const feed = { isFresh: false };
      const { authenticator: subject } = authenticator(feed);
      const stale = { reason: 'REVOCATIONS_STALE', status: 503, retryAfter: 2 };
      const first = subject.authenticate('Bearer t-1');
      await sleep(50);
      now = 1_001;
      await expect(first).rejects.toMatchObject(stale);
      // The clock stands still: whoever waited would wait for ever.
      await expect(subject.authenticate('Bearer t-1')).rejects.toMatchObject(stale);
      feed.isFresh = true;
      await subject.authenticate('Bearer t-1');
      feed.isFresh = false;
      const waiting = subject.authenticate('Bearer t-1');
      await sleep(50);
      feed.isFresh = true;
      expect(await waiting).toEqual(VERIFIED.principal);
    });
  });
});
