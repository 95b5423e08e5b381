import { createHmac } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { WebhookSmsProvider } from '../../../src/sms/providers/webhook.sms-provider.js';
import {
  behaviourFor,
  commonReaction,
  describeSmsProvider,
  type AcceptedSms,
  type Behaviour,
  type SmsProviderHarness,
} from './sms-provider.contract.js';
import { StandInServer, type StandInReaction } from '../../support/stand-in-server.js';

const SECRET = 'the webhook secret of this suite';

const STATUSES: Partial<Record<Behaviour, number>> = {
  'knows that the number is invalid': 422,
  'refuses the text': 400,
  'refuses so many SMS to this number': 409,
  'rejects the credentials': 401,
  'is overloaded': 429,
  'has an internal error': 500,
};

const sign = (timestamp: string, body: string, secret = SECRET) =>
  createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');

function signedReceipt(body: string, seconds: number, secret = SECRET) {
  const timestamp = String(seconds);
  const headers = { 'x-family-watch-timestamp': timestamp, 'x-family-watch-signature': sign(timestamp, body, secret) };
  return { body: Buffer.from(body), headers };
}

const currentSeconds = () => Math.floor(Date.now() / 1_000);

describeSmsProvider('webhook', async (): Promise<SmsProviderHarness> => {
  const accepted: AcceptedSms[] = [];
  const server = await StandInServer.start(({ headers, body }): StandInReaction => {
    const timestamp = String(headers['x-family-watch-timestamp']);
    if (headers['x-family-watch-signature'] !== sign(timestamp, body)) return { status: 401, body: {} };
    const sms = JSON.parse(body) as Record<'areaCode' | 'phoneNumber' | 'text' | 'messageId', string>;
    const to = sms.areaCode + sms.phoneNumber;
    const behaviour = behaviourFor(to);
    const common = commonReaction(behaviour);
    if (common) return common;
    const status = STATUSES[behaviour] ?? 202;
    if (status === 202)
      accepted.push({ to, content: sms.text, messageId: sms.messageId, providerMessageId: sms.messageId });
    return { status, body: {} };
  });
  return {
    accepted,
    createProvider: (timeoutMs) => new WebhookSmsProvider({ url: `${server.origin}/sms`, secret: SECRET, timeoutMs }),
    contentOf: (language, code) => [code, language === 'zh' ? '登录验证码' : 'sign-in code'],
    report: ({ messageId }, isDelivered) => {
      const state = isDelivered ? { state: 'DELIVERED' } : { state: 'UNDELIVERED', errorCode: 'absent' };
      return signedReceipt(JSON.stringify({ messageId, ...state }), currentSeconds());
    },
    forge: ({ body }) => signedReceipt(body.toString(), currentSeconds(), `${SECRET}.`),
    stop: () => server.stop(),
  };
});

test('a receipt of the webhook that was signed more than five minutes ago is rejected', () => {
  const provider = new WebhookSmsProvider({ url: 'http://127.0.0.1:1', secret: SECRET, timeoutMs: 1 });
  const body = JSON.stringify({ messageId: 'm', state: 'DELIVERED' });
  expect(provider.parseReceipts(signedReceipt(body, currentSeconds() - 290))).toHaveLength(1);
  expect(provider.parseReceipts(signedReceipt(body, currentSeconds() - 310))).toBeUndefined();
  expect(provider.parseReceipts(signedReceipt('{"state":"SENT"}', currentSeconds()))).toBeUndefined();
});
