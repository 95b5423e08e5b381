import { createHash, createHmac } from 'node:crypto';
import { SmsTemplates } from '../../../src/sms/providers/sms-templates.js';
import { TencentcloudSmsProvider } from '../../../src/sms/providers/tencentcloud.sms-provider.js';
import {
  behaviourFor,
  commonReaction,
  describeSmsProvider,
  type AcceptedSms,
  type Behaviour,
  type SmsProviderHarness,
} from './sms-provider.contract.js';
import { StandInServer, type StandInReaction, type StandInRequest } from '../../support/stand-in-server.js';

const CREDENTIALS = { secretId: 'AKIDsuite', secretKey: 'not a secret' };
const RECEIPT_TOKEN = 'receipt-token-of-the-suite-0123456789';
const TEMPLATES = 'CODE.zh=1400001,CODE.en=1400002,ALERT.zh=1400003';

interface SendSmsBody {
  PhoneNumberSet: [string];
  SmsSdkAppId: string;
  SignName: string;
  TemplateId: string;
  TemplateParamSet: string[];
  SessionContext: string;
}

/** Codes of the whole request, and of the one phone number in it. */
const REQUEST_ERRORS: Partial<Record<Behaviour, string>> = {
  'rejects the credentials': 'AuthFailure.SecretIdNotFound',
  'is overloaded': 'RequestLimitExceeded',
  'has an internal error': 'InternalError.Timeout',
};
const NUMBER_ERRORS: Partial<Record<Behaviour, string>> = {
  'knows that the number is invalid': 'InvalidParameterValue.IncorrectPhoneNumber',
  'refuses the text': 'FailedOperation.TemplateIncorrectOrUnapproved',
  'refuses so many SMS to this number': 'LimitExceeded.PhoneNumberThirtySecondLimit',
};

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** Verifies a signature of version 3 (TC3-HMAC-SHA256). */
function isSigned({ method, headers, body }: StandInRequest): boolean {
  const [, secretId, date = '', service = '', names = '', signature] =
    /^TC3-HMAC-SHA256 Credential=(\w+)\/([\d-]+)\/(\w+)\/tc3_request, ?SignedHeaders=([\w;-]+), ?Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  // The library signs the host without the port, which the real API does not have.
  const host = headers.host?.replace(/:\d+$/, '');
  const signed = names.split(';').map((name) => `${name}:${name === 'host' ? host : String(headers[name])}\n`);
  const canonical = [method, '/', '', signed.join(''), names, sha256(body)].join('\n');
  const scope = `${date}/${service}/tc3_request`;
  const text = ['TC3-HMAC-SHA256', String(headers['x-tc-timestamp']), scope, sha256(canonical)].join('\n');
  const key = hmac(hmac(hmac(`TC3${CREDENTIALS.secretKey}`, date), service), 'tc3_request');
  return secretId === CREDENTIALS.secretId && signature === hmac(key, text).toString('hex');
}

describeSmsProvider('tencentcloud', async (): Promise<SmsProviderHarness> => {
  const accepted: AcceptedSms[] = [];
  const fail = (code: string): StandInReaction => ({
    status: 200,
    body: { Response: { Error: { Code: code, Message: 'message with 13800000000' }, RequestId: 'a0aabda6' } },
  });
  const server = await StandInServer.start((request): StandInReaction => {
    if (!isSigned(request)) return fail('AuthFailure.SignatureFailure');
    const { 'x-tc-action': action, 'x-tc-version': version, 'x-tc-region': region } = request.headers;
    if (action !== 'SendSms' || version !== '2021-01-11' || region !== 'ap-guangzhou') return fail('InvalidAction');
    const { PhoneNumberSet, SignName, TemplateId, TemplateParamSet } = JSON.parse(request.body) as SendSmsBody;
    const [to] = PhoneNumberSet;
    const behaviour = behaviourFor(to);
    const common = commonReaction(behaviour);
    if (common) return common;
    const requestError = REQUEST_ERRORS[behaviour];
    if (requestError !== undefined) return fail(requestError);
    const code = NUMBER_ERRORS[behaviour] ?? 'Ok';
    const SerialNo = code === 'Ok' ? `5000:1045710669157053657849499619${accepted.length}` : '';
    if (code === 'Ok') {
      const content = [SignName, TemplateId, ...TemplateParamSet].join(' ');
      accepted.push({ to, content, messageId: undefined, providerMessageId: SerialNo });
    }
    const status = { SerialNo, Fee: 1, Code: code, Message: 'message', IsoCode: 'CN' };
    return { status: 200, body: { Response: { SendStatusSet: [status], RequestId: 'a0aabda6' } } };
  });
  const templates = new SmsTemplates(TEMPLATES);
  const application = { appId: '1400006666', signName: '家庭手表', region: 'ap-guangzhou' };
  const settings = { ...CREDENTIALS, ...application, templates, receiptToken: RECEIPT_TOKEN };
  return {
    accepted,
    createProvider: (timeoutMs) => new TencentcloudSmsProvider({ ...settings, timeoutMs }, new URL(server.origin)),
    contentOf: (language, code) => [`家庭手表 ${language === 'zh' ? '1400001' : '1400002'} ${code}`],
    report: ({ providerMessageId, to }, isDelivered) => ({
      body: Buffer.from(
        JSON.stringify([
          {
            user_receive_time: '2026-11-24 08:00:02',
            nationcode: '86',
            mobile: to.slice(3),
            report_status: isDelivered ? 'SUCCESS' : 'FAIL',
            errmsg: isDelivered ? 'DELIVRD' : 'UNDELIV',
            description: 'description',
            sid: providerMessageId,
          },
        ]),
      ),
      headers: {},
      token: RECEIPT_TOKEN,
    }),
    forge: (callback) => ({ ...callback, token: RECEIPT_TOKEN.slice(1) }),
    stop: () => server.stop(),
  };
});
