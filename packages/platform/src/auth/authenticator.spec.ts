import { describe, expect, it } from '@jest/globals';
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

  it('waits for a feed that is silent for a moment only', async () => {
    const listeners = new Set<(fresh: boolean) => void>();
    const feed = {
      isFresh: false,
      onFreshness: (listener: (fresh: boolean) => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
    const { authenticator: subject } = authenticator(feed);
    const waiting = [subject.verify('t-1'), subject.verify('t-2')];
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(listeners.size).toBe(1);
    feed.isFresh = true;
    for (const listener of listeners) listener(true);
    expect(await Promise.all(waiting)).toEqual([VERIFIED, VERIFIED]);
    expect(listeners.size).toBe(0);
  });

  it('closes the door while the feed is silent', async () => {
    const { authenticator: subject } = authenticator({ isFresh: false });
    const refused = subject.authenticate('Bearer t-1');
    await expect(refused).rejects.toMatchObject({ reason: 'REVOCATIONS_STALE', status: 503, retryAfter: 2 });
  });
});
