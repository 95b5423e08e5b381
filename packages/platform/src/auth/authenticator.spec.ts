import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RevocationFeed, TokenIdentity } from '@family-watch/domain/kernel/contracts/revocation';
import { Authenticator } from './authenticator.js';
import type { TokenVerifier } from './token-verifier.js';

const VERIFIED_TOKEN = {
  principal: { type: 'user', id: 'u-1', sessionId: 's-1' },
  issuedAt: 1_790_000_000_000,
  expiresAt: 1_790_000_600_000,
} as const;

function createAuthenticator(feed: Partial<RevocationFeed> = {}): { authenticator: Authenticator; verified: string[] } {
  const verified: string[] = [];
  const verifier: Pick<TokenVerifier, 'verify'> = {
    verify: async (token) => {
      verified.push(token);
      return VERIFIED_TOKEN;
    },
  };
  const freshFeed: RevocationFeed = {
    isFresh: true,
    isRevoked: () => false,
    onRevoked: () => () => undefined,
    onFreshnessChange: () => () => undefined,
  };
  return {
    authenticator: new Authenticator(verifier as TokenVerifier, Object.assign(feed, { ...freshFeed, ...feed })),
    verified,
  };
}

describe('Authenticator', () => {
  test('accepts a Bearer token with the scheme in any case', async () => {
    const { authenticator: subject, verified } = createAuthenticator();
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      expect(await subject.authenticate(`${scheme} t-1`)).toEqual(VERIFIED_TOKEN.principal);
    }
    expect(verified).toEqual(['t-1', 't-1', 't-1']);
  });

  test.each([undefined, '', 'Bearer', 'Bearer ', 't-1', 'Basic dTpw', 'Bearer a b', ' Bearer t-1'])(
    'rejects the header %p with TOKEN_MISSING',
    async (header) => {
      const { authenticator: subject, verified } = createAuthenticator();
      await expect(subject.authenticate(header)).rejects.toMatchObject({ reason: 'TOKEN_MISSING', status: 401 });
      expect(verified).toEqual([]);
    },
  );

  test('checks principal, session and issue time of the token against the revocation feed on every use', async () => {
    const queried: TokenIdentity[] = [];
    const isRevoked = (token: TokenIdentity): boolean => queried.push(token) > 1;
    const { authenticator: subject } = createAuthenticator({ isRevoked });
    await expect(subject.authenticate('Bearer t-1')).resolves.toEqual(VERIFIED_TOKEN.principal);
    await expect(subject.authenticate('Bearer t-1')).rejects.toMatchObject({ reason: 'TOKEN_REVOKED', status: 401 });
    expect(queried[0]).toEqual({ principal: 'user:u-1', sessionId: 's-1', issuedAt: VERIFIED_TOKEN.issuedAt });
  });

  describe('with a stale revocation feed', () => {
    let now: number;
    beforeEach(() => {
      now = 0;
      // The test controls the clock, so the timeout does not depend on the load of the machine.
      jest.spyOn(performance, 'now').mockImplementation(() => now);
    });
    afterEach(() => void jest.restoreAllMocks());

    test('waits briefly and succeeds when the feed becomes fresh', async () => {
      const feed = { isFresh: false };
      const { authenticator: subject } = createAuthenticator(feed);
      const pending = [subject.verify('t-1'), subject.verify('t-2')];
      await sleep(50);
      feed.isFresh = true;
      expect(await Promise.all(pending)).toEqual([VERIFIED_TOKEN, VERIFIED_TOKEN]);
    });

    test('rejects after the timeout and rejects later callers immediately until the feed is fresh again', async () => {
      const feed = { isFresh: false };
      const { authenticator: subject } = createAuthenticator(feed);
      const stale = { reason: 'REVOCATIONS_STALE', status: 503, retryAfter: 2 };
      const first = subject.authenticate('Bearer t-1');
      await sleep(50);
      now = 1_001;
      await expect(first).rejects.toMatchObject(stale);
      // The clock does not advance, so a call that waited for the timeout would never return.
      await expect(subject.authenticate('Bearer t-1')).rejects.toMatchObject(stale);
      feed.isFresh = true;
      await subject.authenticate('Bearer t-1');
      feed.isFresh = false;
      const pending = subject.authenticate('Bearer t-1');
      await sleep(50);
      feed.isFresh = true;
      expect(await pending).toEqual(VERIFIED_TOKEN.principal);
    });
  });
});
