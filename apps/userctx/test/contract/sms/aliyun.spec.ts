import { createHash, createHmac } from 'node:crypto';
import { AliyunSmsProvider } from '../../../src/sms/providers/aliyun.sms-provider.js';
import { SmsTemplates } from '../../../src/sms/providers/sms-templates.js';
import {
  behaviourFor,
  commonReaction,
  describeSmsProvider,
  type AcceptedSms,
  type Behaviour,
  type SmsProviderHarness,
} from './sms-provider.contract.js';
import { StandInServer, type StandInReaction, type StandInRequest } from '../../support/stand-in-server.js';

const ACCESS_KEY = { accessKeyId: 'LTAIsuite', accessKeySecret: 'not a secret' };
const RECEIPT_TOKEN = 'receipt-token-of-the-suite-0123456789';
const TEMPLATES = 'CODE.zh=SMS_1,CODE.en=SMS_2,ALERT.zh=SMS_3';

/** Codes of the API; a code with a status is an error of the gateway. */
const ERRORS: Partial<Record<Behaviour, { status: number; code: string }>> = {
  'knows that the number is invalid': { status: 200, code: 'isv.MOBILE_NUMBER_ILLEGAL' },
  'refuses the text': { status: 200, code: 'isv.SMS_TEMPLATE_ILLEGAL' },
  'refuses so many SMS to this number': { status: 200, code: 'isv.BUSINESS_LIMIT_CONTROL' },
  'rejects the credentials': { status: 404, code: 'InvalidAccessKeyId.NotFound' },
  'is overloaded': { status: 400, code: 'Throttling.User' },
  'has an internal error': { status: 500, code: 'InternalError' },
};

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

/** Verifies a signature of version 3 (ACS3-HMAC-SHA256). */
function isSigned({ method, url, headers, body }: StandInRequest): boolean {
  const [, keyId, names = '', signature] =
    /^ACS3-HMAC-SHA256 Credential=(\w+),SignedHeaders=([\w;-]+),Signature=(\w+)$/.exec(headers.authorization ?? '') ??
    [];
  const { pathname, searchParams } = new URL(url, 'http://stand-in');
  const query = [...searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort();
  const signed = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const canonical = [method, pathname, query.join('&'), signed.join(''), names, sha256(body)].join('\n');
  const expected = createHmac('sha256', ACCESS_KEY.accessKeySecret)
    .update(`ACS3-HMAC-SHA256\n${sha256(canonical)}`)
    .digest('hex');
  return keyId === ACCESS_KEY.accessKeyId && signature === expected && names.includes('x-acs-content-sha256');
}

describeSmsProvider('aliyun', async (): Promise<SmsProviderHarness> => {
  const accepted: AcceptedSms[] = [];
  const server = await StandInServer.start((request): StandInReaction => {
    if (!isSigned(request)) return { status: 400, body: { Code: 'SignatureDoesNotMatch', Message: 'signature' } };
    const query = new URL(request.url, 'http://stand-in').searchParams;
    if (request.headers['x-acs-action'] !== 'SendSms' || request.headers['x-acs-version'] !== '2017-05-25')
      return { status: 404, body: { Code: 'InvalidAction.NotFound' } };
    const phone = query.get('PhoneNumbers') ?? '';
    const behaviour = behaviourFor(phone);
    const common = commonReaction(behaviour);
    if (common) return common;
    const { status, code } = ERRORS[behaviour] ?? { status: 200, code: 'OK' };
    const providerMessageId = `9006197469364984${accepted.length}^0`;
    const Message = `response to ${phone}`;
    if (code !== 'OK') return { status, body: { Code: code, Message, RequestId: 'F655A8D5' } };
    const content = [query.get('SignName'), query.get('TemplateCode'), query.get('TemplateParam')].join(' ');
    const to = phone.length === 11 ? `+86${phone}` : `+${phone}`;
    accepted.push({ to, content, messageId: query.get('OutId') ?? '', providerMessageId });
    return { status, body: { Code: code, Message, BizId: providerMessageId, RequestId: 'F655A8D5' } };
  });
  const templates = new SmsTemplates(TEMPLATES);
  const settings = { ...ACCESS_KEY, signName: '家庭手表', templates, receiptToken: RECEIPT_TOKEN };
  return {
    accepted,
    createProvider: (timeoutMs) => new AliyunSmsProvider({ ...settings, endpoint: server.host, timeoutMs }, 'http'),
    contentOf: (language, code) => ['家庭手表', language === 'zh' ? 'SMS_1' : 'SMS_2', `{"code":"${code}"}`],
    report: ({ messageId, providerMessageId, to }, isDelivered) => ({
      body: Buffer.from(
        JSON.stringify([
          {
            phone_number: to,
            send_time: '2026-11-24 08:00:00',
            report_time: '2026-11-24 08:00:02',
            success: isDelivered,
            err_code: isDelivered ? 'DELIVERED' : 'MK:0012',
            sms_size: '1',
            biz_id: providerMessageId,
            out_id: messageId,
          },
        ]),
      ),
      headers: {},
      token: RECEIPT_TOKEN,
    }),
    forge: (callback) => ({ ...callback, token: `${RECEIPT_TOKEN}x` }),
    stop: () => server.stop(),
  };
});
