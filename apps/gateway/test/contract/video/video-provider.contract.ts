import { describe, expect, test } from '@jest/globals';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { CALL_JOIN_TTL_SECONDS } from '@family-watch/domain/messages/contracts/video-call';
import type { CallJoinDto } from '@family-watch/domain/messages/dto/video-call.dto';
import type { VideoProvider } from '../../../src/calls/video-provider.js';

/** A video provider under test, with functions that read credentials as a media server does, and forge credentials. */
export interface ProviderUnderTest {
  provider: VideoProvider;
  /** Returns the principal and the expiry (Unix seconds) of the credentials in `join`; rejects forged credentials. */
  readCredentials(join: CallJoinDto): Promise<{ principal: string; callId?: string; expiry: number }>;
  /** Returns `join` with its credentials changed to name `principal`, without use of the service's secret. */
  forgeCredentials(join: CallJoinDto, principal: PrincipalKey): CallJoinDto;
}

const CALL_ID = '6f1c2f0e-51c5-4a59-9d3e-1d5f7a3f6f0b';
const OTHER_CALL_ID = '0d5c1f8e-33a0-4c8e-8f5e-5d1d3a3a9b10';

/** Contract of all video providers. */
export function videoProviderContract(name: string, create: () => ProviderUnderTest): void {
  describe(`video provider ${name}`, () => {
    test('has the provider name that clients receive', () => {
      expect(create().provider.name).toBe(name);
    });

    test('issues credentials for one principal that expire within a minute', async () => {
      const { provider, readCredentials } = create();
      for (const principal of ['user:1', 'watch:7312904418220331'] as const) {
        const now = Date.now() / 1_000;
        const join = await provider.join(CALL_ID, principal);
        const { principal: owner, expiry } = await readCredentials(join);
        expect(owner).toBe(principal);
        expect(join.expiresIn).toBe(CALL_JOIN_TTL_SECONDS);
        expect(expiry).toBeGreaterThan(now);
        expect(expiry).toBeLessThanOrEqual(now + 61);
      }
    });

    test('issues different credentials per principal and, if credentials name the call, per call', async () => {
      const { provider, readCredentials } = create();
      const [userJoin, watchJoin, otherCallJoin] = [
        await provider.join(CALL_ID, 'user:1'),
        await provider.join(CALL_ID, 'watch:1'),
        await provider.join(OTHER_CALL_ID, 'user:1'),
      ];
      expect(userJoin).not.toEqual(watchJoin);
      const credentials = await readCredentials(userJoin);
      const otherCredentials = await readCredentials(otherCallJoin);
      if (credentials.callId !== undefined)
        expect([credentials.callId, otherCredentials.callId]).toEqual([CALL_ID, OTHER_CALL_ID]);
    });

    test('issues credentials that cannot be forged', async () => {
      const { provider, readCredentials, forgeCredentials } = create();
      const join = await provider.join(CALL_ID, 'user:1');
      await expect(readCredentials(forgeCredentials(join, 'user:2'))).rejects.toThrow();
    });
  });
}
