import { expect, test } from '@jest/globals';
import { ERROR_CATALOGUE, type ErrorReason } from './error-catalogue.js';
import { ServiceError } from './service-error.js';

const REASONS = Object.keys(ERROR_CATALOGUE) as ErrorReason[];

test('ServiceError tells the client when to retry for each reason with status 503, and for no other by default', () => {
  const retried = REASONS.filter((reason) => new ServiceError(reason).retryAfter !== undefined);
  expect(retried.length).toBeGreaterThan(5);
  expect(retried).toEqual(REASONS.filter((reason) => new ServiceError(reason).status === 503));
  expect(new ServiceError('OVERLOADED', { retryAfter: 1 }).retryAfter).toBe(1);
});
