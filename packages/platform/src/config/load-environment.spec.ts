import { afterEach, expect, test } from '@jest/globals';
import { Environment } from './environment.js';
import { loadEnvironment, type EnvironmentError } from './load-environment.js';

test('loadEnvironment reads variables with and without a default', () => {
  expect(loadEnvironment({ PORT: '4000', MEDIA_WORKERS: '0', PUBLIC_URL: 'https://watch.example' })).toMatchObject({
    PORT: 4000,
    MEDIA_WORKERS: 0,
    PUBLIC_URL: 'https://watch.example',
  });
});

test('loadEnvironment reads every variable that has a default', () => {
  const texts = Object.entries(new Environment()).map(([name, value]) => [name, String(value)]);
  expect(loadEnvironment(Object.fromEntries(texts) as Record<string, string>)).toEqual(new Environment());
});

test('loadEnvironment ignores empty and undeclared variables', () => {
  expect(loadEnvironment({ MEDIA_WORKERS: '', PATH: '/bin' })).toEqual(new Environment());
});

test('loadEnvironment throws an error that names invalid and missing variables without their values', () => {
  expect(() => loadEnvironment({ MEDIA_WORKERS: 'many' }, ['SECRET_KEY'])).toThrow(
    'Invalid configuration:\n  - MEDIA_WORKERS: MEDIA_WORKERS must not be greater than 16, MEDIA_WORKERS must not be less than 0, MEDIA_WORKERS must be an integer number\n  - SECRET_KEY is required',
  );
});

const { versions } = process;
afterEach(() => {
  Object.defineProperty(process, 'versions', { value: versions });
});

test('loadEnvironment says under an old version of Node how to start the program', () => {
  Object.defineProperty(process, 'versions', { value: { ...versions, node: '20.20.2' } });
  expect(() => loadEnvironment({})).toThrow(
    'Node 20.20.2 is too old, 24 is required. Run the program with node_modules/.bin/node, or by its npm script.',
  );
});

test('loadEnvironment requires the variables of the listed payment providers, and no others', () => {
  const problemsOf = (source: Record<string, string>) => {
    try {
      loadEnvironment(source);
      return [];
    } catch (error) {
      return (error as EnvironmentError).problems.map((problem) => problem.split(':')[0]).sort();
    }
  };
  expect(problemsOf({ PAYMENT_PROVIDER: 'sandbox' })).toEqual([]);
  expect(problemsOf({ PAYMENT_PROVIDER: 'cash' })).toEqual(['PAYMENT_PROVIDER']);
  expect(problemsOf({ PAYMENT_PROVIDER: 'sandbox,stripe' })).toEqual([
    'PUBLIC_URL',
    'STRIPE_SECRET_KEY',
    'STRIPE_WEBHOOK_SECRET',
  ]);
  expect(problemsOf({ PAYMENT_PROVIDER: 'alipay', PUBLIC_URL: 'https://watch.example' })).toEqual([
    'ALIPAY_APP_ID',
    'ALIPAY_PRIVATE_KEY',
    'ALIPAY_PUBLIC_KEY',
  ]);
  const wechatPay = {
    PAYMENT_PROVIDER: 'wechatpay',
    PUBLIC_URL: 'https://watch.example',
    WECHATPAY_MERCHANT_ID: '1900000109',
    WECHATPAY_APP_ID: 'wx0000000000000001',
    WECHATPAY_PRIVATE_KEY: 'key.pem',
    WECHATPAY_CERTIFICATE_SERIAL: '5157F09EFDC096DE',
    WECHATPAY_API_V3_KEY: 'k'.repeat(32),
  };
  expect(problemsOf(wechatPay)).toEqual([]);
  expect(problemsOf({ ...wechatPay, WECHATPAY_API_V3_KEY: 'short' })).toEqual(['WECHATPAY_API_V3_KEY']);
  expect(problemsOf({ ...wechatPay, WECHATPAY_PUBLIC_KEY: 'key.pem' })).toEqual(['WECHATPAY_PUBLIC_KEY_ID']);
});
