import { expect } from '@jest/globals';
import { ERROR_CATALOGUE, httpStatusOf, type ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { surfaceOf } from '@family-watch/domain/kernel/contracts/surface';
import type { ServiceResponse } from './http-client.js';

/** The route with the error format of Ichnaea. */
const GEOLOCATE_PATH = '/v1/geolocate';

const GEOLOCATE_ERRORS: Partial<Record<ErrorReason, readonly [domain: string, reason: string, message: string]>> = {
  POSITION_NOT_FOUND: ['geolocation', 'notFound', 'Not found'],
  VALIDATION_FAILED: ['global', 'parseError', 'Parse Error'],
  MALFORMED_JSON: ['global', 'parseError', 'Parse Error'],
  TOKEN_MISSING: ['usageLimits', 'keyInvalid', 'Missing or invalid API key.'],
  TOKEN_INVALID: ['usageLimits', 'keyInvalid', 'Missing or invalid API key.'],
  TOKEN_REVOKED: ['usageLimits', 'keyInvalid', 'Missing or invalid API key.'],
};

function toGeolocateError(refusal: ErrorReason, status: number): object {
  const [domain, reason, message] = GEOLOCATE_ERRORS[refusal] ?? [
    'global',
    'badRequest',
    ERROR_CATALOGUE[refusal].message,
  ];
  return { status, body: { error: { errors: [{ domain, reason, message }], code: status, message } } };
}

/** Checks that the response is an error with this reason, in the format that belongs to the path (specification 7). */
export function expectError(address: string, answer: ServiceResponse, reason: ErrorReason): void {
  const { code, message } = ERROR_CATALOGUE[reason];
  if (address === GEOLOCATE_PATH) {
    expect({ status: answer.status, body: answer.body }).toEqual(toGeolocateError(reason, httpStatusOf(code)));
    return;
  }
  const details = 'details' in answer.body ? { details: answer.body['details'] } : {};
  const body = {
    plain: { code, message, reason, ...details },
    wrapped: { code, message, data: null, reason, ...details },
    cloud: { code, data: null, msg: message, reason, ...details },
  }[surfaceOf(address) ?? 'plain'];
  expect({ status: answer.status, body: answer.body }).toEqual({ status: httpStatusOf(code), body });
}

/** Checks that the response is a success, in the envelope that belongs to the path; returns the data. */
export function expectSuccess(address: string, { status, body }: ServiceResponse): unknown {
  expect({ status, body }).toEqual({ status: 200, body: expect.any(Object) });
  const surface = surfaceOf(address);
  if (surface === 'wrapped') expect(body).toEqual({ code: 0, message: 'ok', data: expect.anything() });
  if (surface === 'cloud') expect(body).toEqual({ code: 0, data: expect.anything(), msg: 'ok' });
  return surface === 'wrapped' || surface === 'cloud' ? body['data'] : body;
}
