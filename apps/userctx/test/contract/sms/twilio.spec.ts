import { createHmac } from 'node:crypto';
import twilio from 'twilio';
import { TwilioSmsProvider } from '../../../src/sms/providers/twilio.sms-provider.js';
import {
  behaviourFor,
  commonReaction,
  describeSmsProvider,
  type AcceptedSms,
  type Behaviour,
  type SmsProviderHarness,
} from './sms-provider.contract.js';
import { StandInServer, type StandInReaction } from '../../support/stand-in-server.js';

const ACCOUNT = { accountSid: `AC${'0'.repeat(32)}`, authToken: 'not a secret' };
const RECEIPT_URL = 'https://family.example/apis/v2/userctx/sms/receipt/twilio';

const ERRORS: Partial<Record<Behaviour, { status: number; code: number }>> = {
  'knows that the number is invalid': { status: 400, code: 21_211 },
  'refuses the text': { status: 400, code: 21_617 },
  'refuses so many SMS to this number': { status: 400, code: 21_610 },
  'rejects the credentials': { status: 401, code: 20_003 },
  'is overloaded': { status: 429, code: 20_429 },
  'has an internal error': { status: 500, code: 20_500 },
};

/** Returns a client of the library that sends its requests to the stand-in instead of api.twilio.com. */
function createRedirectedClient(origin: string, timeout: number) {
  const client = new twilio.RequestClient({ timeout });
  client.axios.interceptors.request.use((config) => {
    const { pathname, search } = new URL(config.url ?? '');
    return Object.assign(config, { url: origin + pathname + search });
  });
  return client;
}

/** Signature of a form as Twilio documents it: the URL, followed by the sorted fields. */
function signForm(url: string, fields: Readonly<Record<string, string>>, authToken: string): string {
  const sorted = Object.keys(fields).sort();
  const text = url + sorted.map((name) => `${name}${fields[name]}`).join('');
  return createHmac('sha1', authToken).update(text).digest('base64');
}

describeSmsProvider('twilio', async (): Promise<SmsProviderHarness> => {
  const accepted: AcceptedSms[] = [];
  const server = await StandInServer.start(({ method, url, headers, body }): StandInReaction => {
    const credentials = Buffer.from(`${ACCOUNT.accountSid}:${ACCOUNT.authToken}`).toString('base64');
    if (headers.authorization !== `Basic ${credentials}`) return { status: 401, body: { code: 20_003, status: 401 } };
    if (`${method} ${url}` !== `POST /2010-04-01/Accounts/${ACCOUNT.accountSid}/Messages.json`)
      return { status: 404, body: { code: 20_404, status: 404 } };
    const form = new URLSearchParams(body);
    const to = form.get('To') ?? '';
    const behaviour = behaviourFor(to);
    const common = commonReaction(behaviour);
    if (common) return common;
    const error = ERRORS[behaviour];
    if (error) return { status: error.status, body: { ...error, message: `The number ${to} …`, more_info: '' } };
    const callback = new URL(form.get('StatusCallback') ?? '');
    const providerMessageId = `SM${String(accepted.length).padStart(32, '0')}`;
    const content = `${form.get('From')} ${form.get('Body')}`;
    accepted.push({ to, content, messageId: callback.searchParams.get('messageId') ?? '', providerMessageId });
    return { status: 201, body: { sid: providerMessageId, status: 'queued', to } };
  });
  const settings = { ...ACCOUNT, from: '+15005550006', receiptUrl: RECEIPT_URL };
  return {
    accepted,
    createProvider: (timeoutMs) =>
      new TwilioSmsProvider({ ...settings, timeoutMs }, createRedirectedClient(server.origin, timeoutMs)),
    contentOf: (language, code) => [`+15005550006 `, code, language === 'zh' ? '验证码' : 'sign-in code'],
    report: ({ messageId = '', providerMessageId, to }, isDelivered) => {
      const fields = {
        MessageSid: providerMessageId,
        MessageStatus: isDelivered ? 'delivered' : 'undelivered',
        To: to,
        ...(isDelivered ? {} : { ErrorCode: '30003' }),
      };
      const signature = signForm(`${RECEIPT_URL}?messageId=${messageId}`, fields, ACCOUNT.authToken);
      const body = Buffer.from(new URLSearchParams(fields).toString());
      return { body, headers: { 'x-twilio-signature': signature }, messageId };
    },
    forge: (callback) => ({ ...callback, messageId: `${callback.messageId}0` }),
    stop: () => server.stop(),
  };
});
