import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OutgoingSms, ReceiptCallback, SmsProvider } from '../../../src/sms/providers/sms-provider.js';
import type { StandInReaction } from '../../support/stand-in-server.js';

/** How the provider's server behaves towards one phone number. */
export const BEHAVIOURS = [
  'accepts the SMS',
  'knows that the number is invalid',
  'refuses the text',
  'refuses so many SMS to this number',
  'rejects the credentials',
  'is overloaded',
  'has an internal error',
  'closes the connection',
  'responds with a page instead of JSON',
  'never responds',
] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

/** Returns the phone number, without country calling code, for which a stand-in behaves in this way. */
const numberFor = (behaviour: Behaviour): string => `1380000000${BEHAVIOURS.indexOf(behaviour)}`;

/** Returns the behaviour for a phone number, with or without country calling code. */
export function behaviourFor(phoneNumber: string): Behaviour {
  return BEHAVIOURS[Number(phoneNumber.at(-1))] ?? 'accepts the SMS';
}

/** Returns the reaction of a stand-in that is the same for all providers; undefined for the others. */
export function commonReaction(behaviour: Behaviour): StandInReaction | undefined {
  if (behaviour === 'closes the connection') return 'close';
  if (behaviour === 'never responds') return 'hang';
  if (behaviour === 'responds with a page instead of JSON') return { status: 502, body: '<html>Bad gateway</html>' };
  return undefined;
}

/** An SMS that the provider's server has accepted, after it verified the signature of the request. */
export interface AcceptedSms {
  /** E.164. */
  to: string;
  /** The text, or the id of the template with its parameters. */
  content: string;
  messageId: string | undefined;
  providerMessageId: string;
}

/** A provider under test and its stand-in server. */
export interface SmsProviderHarness {
  createProvider(timeoutMs: number): SmsProvider;
  accepted: readonly AcceptedSms[];
  /** What the content of an SMS with this code contains, per language. */
  contentOf(language: 'zh' | 'en', code: string): string[];
  /** Returns the provider's authentic report about an SMS. */
  report(sms: AcceptedSms, isDelivered: boolean): ReceiptCallback;
  /** Returns the same request from a sender without the secret. */
  forge(callback: ReceiptCallback): ReceiptCallback;
  stop(): Promise<void>;
}

function smsTo(phoneNumber: string, areaCode = '+86'): OutgoingSms {
  const language = areaCode === '+86' ? 'zh' : 'en';
  const message = { areaCode, phoneNumber, scene: 'SIGN_IN', code: '402913', time: 0 } as const;
  return { messageId: randomUUID(), message, language, value: message.code };
}

/** Contract of all SMS providers that send to phones. */
export function describeSmsProvider(name: string, start: () => Promise<SmsProviderHarness>): void {
  describe(`SMS provider ${name}`, () => {
    let harness: SmsProviderHarness;
    let provider: SmsProvider;
    beforeAll(async () => {
      harness = await start();
      provider = harness.createProvider(60_000);
    });
    afterAll(() => harness.stop());

    async function sendAccepted(sms = smsTo(numberFor('accepts the SMS'))): Promise<AcceptedSms> {
      const before = harness.accepted.length;
      const outcome = await provider.send(sms);
      const [accepted] = harness.accepted.slice(before);
      expect(outcome).toEqual({ state: 'ACCEPTED', providerMessageId: accepted?.providerMessageId });
      return accepted!;
    }

    test('sends the code in Chinese to a Chinese number and in English to another number', async () => {
      const chinese = await sendAccepted();
      expect(chinese.to).toBe(`+86${numberFor('accepts the SMS')}`);
      for (const part of harness.contentOf('zh', '402913')) expect(chinese.content).toContain(part);
      const english = await sendAccepted(smsTo('7700900120', '+44'));
      expect(english.to).toBe('+447700900120');
      for (const part of harness.contentOf('en', '402913')) expect(english.content).toContain(part);
    });

    test('sends the time of an alert', async () => {
      const message = {
        areaCode: '+86',
        phoneNumber: '13800000000',
        scene: 'ALERT',
        category: 'SOS',
        time: 0,
      } as const;
      const alert = await sendAccepted({ messageId: randomUUID(), message, language: 'zh', value: '08:05' });
      expect(alert.content).toContain('08:05');
    });

    test.each([
      ['REJECTED', 'knows that the number is invalid'],
      ['REFUSED', 'refuses the text'],
      ['REFUSED', 'refuses so many SMS to this number'],
      ['UNAVAILABLE', 'rejects the credentials'],
      ['UNAVAILABLE', 'is overloaded'],
      ['UNAVAILABLE', 'has an internal error'],
      ['UNAVAILABLE', 'closes the connection'],
      ['UNAVAILABLE', 'responds with a page instead of JSON'],
    ] as const)(
      'returns %s when the provider %s, without number and code, and sends the next SMS',
      async (state, behaviour) => {
        const outcome = await provider.send(smsTo(numberFor(behaviour)));
        expect(outcome).toEqual({ state, errorCode: expect.stringMatching(/^[\w.:-]{1,64}$/) });
        expect(JSON.stringify(outcome)).not.toMatch(/1380000000|402913/);
        await sendAccepted();
      },
    );

    test('returns UNAVAILABLE after its timeout when the provider never responds', async () => {
      const outcome = await harness.createProvider(50).send(smsTo(numberFor('never responds')));
      expect(outcome.state).toBe('UNAVAILABLE');
    });

    test('sends 20 SMS at the same time', async () => {
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => provider.send(smsTo('13800000000'))));
      expect(new Set(outcomes.map(({ state }) => state))).toEqual(new Set(['ACCEPTED']));
    });

    test('returns whether an SMS was delivered from an authentic receipt', async () => {
      const sms = await sendAccepted();
      const identified = sms.messageId === undefined ? {} : { messageId: sms.messageId };
      expect(provider.parseReceipts?.(harness.report(sms, true))).toEqual([
        expect.objectContaining({ ...identified, state: 'DELIVERED', errorCode: null }),
      ]);
      const [undelivered] = provider.parseReceipts?.(harness.report(sms, false)) ?? [];
      expect(undelivered).toMatchObject({ ...identified, state: 'UNDELIVERED', errorCode: expect.any(String) });
      expect([undelivered?.messageId, undelivered?.providerMessageId]).toContain(
        sms.messageId ?? sms.providerMessageId,
      );
    });

    test('returns undefined for a receipt of a sender without the secret', async () => {
      const callback = harness.report(await sendAccepted(), true);
      expect(provider.parseReceipts?.(harness.forge(callback))).toBeUndefined();
      expect(provider.parseReceipts?.({ body: callback.body, headers: {} })).toBeUndefined();
    });
  });
}
