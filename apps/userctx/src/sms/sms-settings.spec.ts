import { describe, expect, test } from '@jest/globals';
import { loadEnvironment } from '@family-watch/platform/config/load-environment';
import { readSmsSettings, smsProviderChain } from './sms-settings.js';

const WEBHOOK = { SMS_WEBHOOK_URL: 'https://sms.example/send', SMS_WEBHOOK_SECRET: 's'.repeat(32) };
const ALIYUN = {
  SMS_ALIYUN_ACCESS_KEY_ID: 'id',
  SMS_ALIYUN_ACCESS_KEY_SECRET: 'secret',
  SMS_ALIYUN_SIGN_NAME: 'sign',
  SMS_ALIYUN_TEMPLATES: 'CODE.zh=SMS_1,SIGN_UP.zh=SMS_2,SIGN_UP.en=SMS_3,ALERT.zh=SMS_4',
};

const read = (variables: NodeJS.ProcessEnv) => readSmsSettings(loadEnvironment(variables));

describe('the providers for a country', () => {
  test.each([
    [{}, '+86', ['file']],
    [{ SMS_PROVIDER: 'webhook', ...WEBHOOK }, '+86', ['webhook']],
    [{ SMS_PROVIDER: 'webhook', SMS_FALLBACK_PROVIDER: 'aliyun', ...WEBHOOK, ...ALIYUN }, '+1', ['webhook', 'aliyun']],
    [{ SMS_PROVIDER: 'webhook', SMS_ROUTES: '+86=aliyun', ...WEBHOOK, ...ALIYUN }, '+86', ['aliyun', 'webhook']],
    [{ SMS_PROVIDER: 'webhook', SMS_ROUTES: '+86=aliyun', ...WEBHOOK, ...ALIYUN }, '+1', ['webhook']],
    [
      { SMS_PROVIDER: 'aliyun', SMS_FALLBACK_PROVIDER: 'webhook', SMS_ROUTES: '+1=webhook', ...WEBHOOK, ...ALIYUN },
      '+1',
      ['webhook', 'aliyun'],
    ],
  ])('with %j are, for %s, %j', (variables, areaCode, expected) => {
    expect(smsProviderChain(read(variables), areaCode)).toEqual(expected);
  });
});

describe('settings that prevent the start', () => {
  test.each([
    ['twilio', { SMS_PROVIDER: 'twilio' }, ['SMS_TWILIO_ACCOUNT_SID', 'SMS_TWILIO_AUTH_TOKEN', 'SMS_TWILIO_FROM']],
    ['a webhook as second provider', { SMS_FALLBACK_PROVIDER: 'webhook' }, ['SMS_WEBHOOK_URL', 'SMS_WEBHOOK_SECRET']],
    ['tencentcloud as provider of a country', { SMS_ROUTES: '+86=tencentcloud' }, ['SMS_TENCENTCLOUD_SECRET_ID']],
    [
      'aliyun without an alert template',
      { ...ALIYUN, SMS_PROVIDER: 'aliyun', SMS_ALIYUN_TEMPLATES: 'CODE.zh=S' },
      ['SMS_ALIYUN_TEMPLATES: no template for ALERT'],
    ],
    ['a malformed list of templates', { SMS_ALIYUN_TEMPLATES: 'OTHER.zh=1' }, ['SMS_ALIYUN_TEMPLATES']],
    ['a malformed list of routes', { SMS_ROUTES: '86=aliyun' }, ['SMS_ROUTES']],
    ['the file in production', { NODE_ENV: 'production' }, ['SMS_PROVIDER', 'SMS_FILE_IN_PRODUCTION=yes']],
  ])('are named: %s', (_, variables, names) => {
    for (const name of names) expect(() => read(variables)).toThrow(name);
  });

  test('do not contain the file in production with SMS_FILE_IN_PRODUCTION=yes', () => {
    expect(read({ NODE_ENV: 'production', SMS_FILE_IN_PRODUCTION: 'yes' }).file).toBe('.data/sms-outbox.jsonl');
  });
});

test('a template is selected by scene and language, with the codes’ common template and the other language as fallback', () => {
  const { templates } = read({ SMS_PROVIDER: 'aliyun', ...ALIYUN }).aliyun!;
  expect(templates.find('SIGN_UP', 'zh')).toBe('SMS_2');
  expect(templates.find('SIGN_UP', 'en')).toBe('SMS_3');
  expect(templates.find('SIGN_IN', 'zh')).toBe('SMS_1');
  expect(templates.find('SIGN_IN', 'en')).toBe('SMS_1');
  expect(templates.find('ALERT', 'en')).toBe('SMS_4');
});
