import { describe, expect, test } from '@jest/globals';
import { ApiError, isRetryable, NetworkError } from './api-error.js';

const DETAILS = [{ field: 'name', rule: 'minLength', message: 'too short' }];

describe('ApiError', () => {
  test.each([
    ['plain', { code: 400001, message: 'broken', reason: 'VALIDATION_FAILED', details: DETAILS }],
    ['wrapped', { code: 400001, message: 'broken', data: null, reason: 'VALIDATION_FAILED', details: DETAILS }],
    ['cloud', { code: 400001, data: null, msg: 'broken', reason: 'VALIDATION_FAILED', details: DETAILS }],
  ])('parses the error body of the %s surface', async (_, body) => {
    expect(await ApiError.fromResponse(Response.json(body, { status: 400 }))).toMatchObject({
      status: 400,
      code: 400001,
      reason: 'VALIDATION_FAILED',
      message: 'broken',
      details: DETAILS,
    });
  });

  test('has the reason UNKNOWN when the response does not come from the service', async () => {
    const response = new Response('<h1>Bad Gateway</h1>', { status: 502, headers: { 'retry-after': '3' } });
    const error = await ApiError.fromResponse(response);
    expect(error).toMatchObject({ status: 502, code: 0, reason: 'UNKNOWN', retryAfter: 3 });
    expect(error.message).toBe('The service returned status 502');
  });

  test('derives the HTTP status of a socket error response from its code', () => {
    const response = { code: 403007, reason: 'WATCH_UNBOUND', message: 'unbound' } as const;
    expect(ApiError.fromEventResponse(response)).toMatchObject({ ...response, status: 403 });
  });
});

describe('isRetryable', () => {
  const apiError = (status: number) => new ApiError({ status, code: 0, reason: 'UNKNOWN', message: '' });

  test.each([
    [true, new NetworkError('away')],
    [true, apiError(429)],
    [true, apiError(503)],
    [false, apiError(400)],
    [false, apiError(500)],
    [false, new Error('a bug')],
  ])('returns %p for %s', (expected, error) => {
    expect(isRetryable(error)).toBe(expected);
  });
});
