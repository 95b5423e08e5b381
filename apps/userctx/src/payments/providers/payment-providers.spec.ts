import { expect, test } from '@jest/globals';
import { providerNames } from './payment-providers.js';

test.each([
  ['production', undefined, []],
  ['production', 'sandbox', ['sandbox']],
  ['development', undefined, ['sandbox']],
  ['test', undefined, ['sandbox']],
  ['development', 'stripe,alipay,stripe', ['stripe', 'alipay']],
] as const)('in %s with PAYMENT_PROVIDER=%s the providers are %j', (NODE_ENV, PAYMENT_PROVIDER, expected) => {
  expect(providerNames({ NODE_ENV, PAYMENT_PROVIDER })).toEqual(expected);
});
