import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PushContent } from '@family-watch/domain/messages/contracts/subscription';
import type { PushMessage, PushProvider, PushTarget } from '../../../src/notifications/push/providers/push-provider.js';

/** How the push service behaves for one target. */
export type PushServiceBehaviour =
  | 'accepts the message'
  | 'does not know the token'
  | 'is busy'
  | 'rejects the credentials'
  | 'rejects the message'
  | 'closes the connection';

/** A push provider under test, and the local push service to which it sends notifications. */
export interface PushProviderHarness {
  provider: PushProvider;
  /** Returns a target for which the push service shows this behaviour. */
  target(behaviour: PushServiceBehaviour): PushTarget;
  /**
   * Returns the notifications that the push service has received, with content that a device can read and `ttl` in
   * seconds.
   */
  received(): { content: PushContent; ttl: number; urgent: boolean; topic: string }[];
  stop(): Promise<void>;
}

export const PUSH_MESSAGE: PushMessage = {
  content: { kind: 'MessageCenterChangeNoticeMessage', category: 'SOS', cid: '0d5c1f8e-33a0-4c8e-8f5e-5d1d3a3a9b10' },
  ttl: 600,
  urgent: true,
  topic: 'Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4',
};

/** Contract of all push providers. */
export function describePushProvider(name: string, start: () => Promise<PushProviderHarness>): void {
  describe(`push provider ${name}`, () => {
    let harness: PushProviderHarness;
    beforeAll(async () => {
      harness = await start();
    });
    afterAll(async () => {
      await harness.provider.close();
      await harness.stop();
    });

    test('delivers content, time to live, priority and collapse key', async () => {
      const before = harness.received().length;
      expect(await harness.provider.send(harness.target('accepts the message'), PUSH_MESSAGE)).toBe(
        'DELIVERED_TO_PROVIDER',
      );
      const normal: PushMessage = {
        ...PUSH_MESSAGE,
        content: { kind: 'ChatTextMessage', category: 'CHAT' },
        urgent: false,
      };
      expect(await harness.provider.send(harness.target('accepts the message'), normal)).toBe('DELIVERED_TO_PROVIDER');
      const [urgentPush, normalPush] = harness.received().slice(before);
      expect(urgentPush).toMatchObject({ content: PUSH_MESSAGE.content, urgent: true });
      expect(normalPush).toMatchObject({ content: normal.content, urgent: false });
      for (const { ttl, topic } of [urgentPush, normalPush].flatMap((push) => push ?? [])) {
        expect(Math.abs(ttl - PUSH_MESSAGE.ttl)).toBeLessThanOrEqual(30);
        expect(topic).toBe(urgentPush?.topic);
      }
    });

    test('returns TOKEN_INVALID when the service does not know the token', async () => {
      expect(await harness.provider.send(harness.target('does not know the token'), PUSH_MESSAGE)).toBe(
        'TOKEN_INVALID',
      );
    });

    test('returns a final outcome when the service rejects the message', async () => {
      const outcome = await harness.provider.send(harness.target('rejects the message'), PUSH_MESSAGE);
      expect(['REJECTED', 'TOKEN_INVALID']).toContain(outcome);
    });

    test.each([
      ['TRY_LATER', 'is busy'],
      ['TRY_LATER', 'rejects the credentials'],
      ['NO_RESPONSE', 'closes the connection'],
    ] as const)('returns %s when the service %s, and delivers the next message', async (outcome, behaviour) => {
      expect(await harness.provider.send(harness.target(behaviour), PUSH_MESSAGE)).toBe(outcome);
      expect(await harness.provider.send(harness.target('accepts the message'), PUSH_MESSAGE)).toBe(
        'DELIVERED_TO_PROVIDER',
      );
    });

    test('delivers 20 concurrent messages', async () => {
      const before = harness.received().length;
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, () => harness.provider.send(harness.target('accepts the message'), PUSH_MESSAGE)),
      );
      expect(new Set(outcomes)).toEqual(new Set(['DELIVERED_TO_PROVIDER']));
      expect(harness.received()).toHaveLength(before + 20);
    });
  });
}
