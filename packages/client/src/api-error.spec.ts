import { describe, expect, it } from '@jest/globals';
import { ApiError, isRetryable, NetworkError } from './api-error.js';

const DETAILS = [{ field: 'name', rule: 'minLength', message: 'too short' }];

describe('ApiError', () => {
  it.each([
    ['plain', { code: 400001, message: 'broken', reason: 'VALIDATION_FAILED', details: DETAILS }],
    ['wrapped', { code: 400001, message: 'broken', data: null, reason: 'VALIDATION_FAILED', details: DETAILS }],
    ['cloud', { code: 400001, data: null, msg: 'broken', reason: 'VALIDATION_FAILED', details: DETAILS }],
  ])('reads the %s surface', async (_, body) => {
    expect(await ApiError.fromResponse(Response.json(body, { status: 400 }))).toMatchObject({
      status: 400,
      code: 400001,
      reason: 'VALIDATION_FAILED',
      message: 'broken',
      details: DETAILS,
    });
  });

  it('says what it can of an answer that is not the service’s', async () => {
    const answer = new Response('<h1>Bad Gateway</h1>', { status: 502, headers: { 'retry-after': '3' } });
    const error = await ApiError.fromResponse(answer);
    expect(error).toMatchObject({ status: 502, code: 0, reason: 'UNKNOWN', retryAfter: 3 });
    expect(error.message).toBe('The service answered 502');
  });

  it('gives an answer of the socket the status that HTTP would have', () => {
    const answer = { code: 403007, reason: 'WATCH_UNBOUND', message: 'unbound' } as const;
    expect(ApiError.fromEventResponse(answer)).toMatchObject({ ...answer, status: 403 });
  });
});

describe('isRetryable', () => {
  const refusal = (status: number) => new ApiError({ status, code: 0, reason: 'UNKNOWN', message: '' });

  it.each([
    [true, new NetworkError('away')],
    [true, refusal(429)],
    [true, refusal(503)],
    [false, refusal(400)],
    [false, refusal(500)],
    [false, new Error('a bug')],
  ])('%p for %s', (expected, error) => {
    expect(isRetryable(error)).toBe(expected);
  });
});
