import { describe, expect, test } from '@jest/globals';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { CALL_JOIN_TTL_SECONDS } from '@family-watch/domain/messages/contracts/video-call';
import type { CallJoin } from '@family-watch/domain/messages/contracts/video-call';
import type { VideoProvider } from '../../../src/contexts/video-calls/providers/video-provider.js';

/** A provider, and how whoever it lets in reads what it gives. */
export interface ProviderUnderTest {
  provider: VideoProvider;
  /** For whom the secrets of a join are, and until when (Unix seconds); throws for forged ones. */
  read(join: CallJoin): Promise<{ principal: string; callId?: string; expiry: number }>;
  /** The same join with its secrets changed by somebody who does not know the service's secret. */
  forge(join: CallJoin, principal: PrincipalKey): CallJoin;
}

const CALL = '6f1c2f0e-51c5-4a59-9d3e-1d5f7a3f6f0b';
const OTHER_CALL = '0d5c1f8e-33a0-4c8e-8f5e-5d1d3a3a9b10';

/** What every provider of pictures must do (security A18). */
export function videoProviderContract(name: string, make: () => ProviderUnderTest): void {
  describe(`video provider ${name}`, () => {
    test('names itself as clients know it', () => {
      expect(make().provider.name).toBe(name);
    });

    test('lets in one principal, for a minute at most', async () => {
      const { provider, read } = make();
      for (const principal of ['user:1', 'watch:7312904418220331'] as const) {
        const now = Date.now() / 1_000;
        const join = await provider.join(CALL, principal);
        const { principal: who, expiry } = await read(join);
        expect(who).toBe(principal);
        expect(join.expiresIn).toBe(CALL_JOIN_TTL_SECONDS);
        expect(expiry).toBeGreaterThan(now);
        expect(expiry).toBeLessThanOrEqual(now + 61);
      }
    });

    test('gives another principal and, where it knows calls, another call something else', async () => {
      const { provider, read } = make();
      const [mine, theirs, elsewhere] = [
        await provider.join(CALL, 'user:1'),
        await provider.join(CALL, 'watch:1'),
        await provider.join(OTHER_CALL, 'user:1'),
      ];
      expect(mine).not.toEqual(theirs);
      const [here, there] = [await read(mine), await read(elsewhere)];
      if (here.callId !== undefined) expect([here.callId, there.callId]).toEqual([CALL, OTHER_CALL]);
    });

    test('what somebody else has made does not pass for its own', async () => {
      const { provider, read, forge } = make();
      const join = await provider.join(CALL, 'user:1');
      await expect(read(forge(join, 'user:2'))).rejects.toThrow();
    });
  });
}
