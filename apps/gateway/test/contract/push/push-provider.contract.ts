import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PushContent } from '@family-watch/domain/messages/contracts/push';
import type { PushMessage, PushProvider, PushTarget } from '../../../src/contexts/push/providers/push-provider.js';

/** How the service of the other side behaves for one target. */
export type PushServiceBehaviour =
  'takes it' | 'knows no such token' | 'is busy' | 'refuses our credentials' | 'hangs up';

/** A provider, and a service of its kind on this machine. */
export interface PushProviderHarness {
  provider: PushProvider;
  /** A target that the service treats like this. */
  target(mood: PushServiceBehaviour): PushTarget;
  /** The notes that have arrived, as a device would read them, and how long the service may keep each (seconds). */
  arrived(): { note: PushContent; ttl: number; urgent: boolean; topic: string }[];
  stop(): Promise<void>;
}

export const MESSAGE: PushMessage = {
  note: { kind: 'MessageCenterChangeNoticeMessage', category: 'SOS', cid: '0d5c1f8e-33a0-4c8e-8f5e-5d1d3a3a9b10' },
  ttl: 600,
  urgent: true,
  topic: 'Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4',
};

/** What every provider of notifications must do. */
export function describePushProvider(name: string, start: () => Promise<PushProviderHarness>): void {
  describe(`push by ${name}`, () => {
    let side: PushProviderHarness;
    beforeAll(async () => {
      side = await start();
    });
    afterAll(async () => {
      await side.provider.close();
      await side.stop();
    });

    test('brings the note, how long it is worth something, and what it replaces', async () => {
      const before = side.arrived().length;
      expect(await side.provider.send(side.target('takes it'), MESSAGE)).toBe('DELIVERED_TO_PROVIDER');
      const calm: PushMessage = { ...MESSAGE, note: { kind: 'ChatTextMessage', category: 'CHAT' }, urgent: false };
      expect(await side.provider.send(side.target('takes it'), calm)).toBe('DELIVERED_TO_PROVIDER');
      const [urgent, other] = side.arrived().slice(before);
      expect(urgent).toMatchObject({ note: MESSAGE.note, urgent: true });
      expect(other).toMatchObject({ note: calm.note, urgent: false });
      for (const { ttl, topic } of [urgent, other].flatMap((each) => each ?? [])) {
        expect(Math.abs(ttl - MESSAGE.ttl)).toBeLessThanOrEqual(30);
        expect(topic).toBe(urgent?.topic);
      }
    });

    test('says that a token is dead', async () => {
      expect(await side.provider.send(side.target('knows no such token'), MESSAGE)).toBe('TOKEN_DEAD');
    });

    test.each(['is busy', 'refuses our credentials', 'hangs up'] as const)(
      'keeps the token when the service %s, and goes on afterwards',
      async (mood) => {
        expect(await side.provider.send(side.target(mood), MESSAGE)).toBe('TRY_LATER');
        expect(await side.provider.send(side.target('takes it'), MESSAGE)).toBe('DELIVERED_TO_PROVIDER');
      },
    );

    test('sends many at once', async () => {
      const before = side.arrived().length;
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, () => side.provider.send(side.target('takes it'), MESSAGE)),
      );
      expect(new Set(outcomes)).toEqual(new Set(['DELIVERED_TO_PROVIDER']));
      expect(side.arrived()).toHaveLength(before + 20);
    });
  });
}
