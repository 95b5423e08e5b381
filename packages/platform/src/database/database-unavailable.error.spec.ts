import { describe, expect, it } from '@jest/globals';
import {
  DatabaseUnavailableError,
  isTransactionAbortedError,
  isTransactionConflictError,
  isDatabaseUnavailableError,
} from './database-unavailable.error.js';

const withCode = (code: string): Error => Object.assign(new Error('from the driver'), { code });

describe('errors of the database', () => {
  it.each(['ECONNREFUSED', 'ENOENT', '57P01', '57P03', '53300', '08006', '57014', '55P03', '55000'])(
    '%s means away',
    (code) => {
      expect(isDatabaseUnavailableError(withCode(code))).toBe(true);
    },
  );

  it.each(['23505', '42501', '22012', '40001', '28P01'])('%s does not mean away', (code) => {
    expect(isDatabaseUnavailableError(withCode(code))).toBe(false);
  });

  it('knows the driver’s messages that have no code', () => {
    expect(isDatabaseUnavailableError(new Error('Connection terminated unexpectedly'))).toBe(true);
    expect(isDatabaseUnavailableError(new Error('timeout exceeded when trying to connect'))).toBe(true);
    expect(isDatabaseUnavailableError(new Error('no such watch'))).toBe(false);
  });

  it('looks into causes, driver errors and the parts of an aggregate', () => {
    const away = withCode('ECONNREFUSED');
    expect(isDatabaseUnavailableError(new Error('outer', { cause: away }))).toBe(true);
    expect(isDatabaseUnavailableError(Object.assign(new Error('query failed'), { driverError: away }))).toBe(true);
    expect(isDatabaseUnavailableError(new AggregateError([withCode('EOTHER'), away]))).toBe(true);
    expect(isDatabaseUnavailableError(new DatabaseUnavailableError())).toBe(true);
  });

  it.each(['40P01', '40001'])('%s may succeed when it is tried again', (code) => {
    expect(isTransactionConflictError(new Error('outer', { cause: withCode(code) }))).toBe(true);
    expect(isTransactionConflictError(withCode('23505'))).toBe(false);
  });

  it('knows what was refused only because of what failed before', () => {
    expect(
      isTransactionAbortedError(Object.assign(new Error('query failed'), { driverError: withCode('25P02') })),
    ).toBe(true);
    expect(isTransactionAbortedError(withCode('40P01'))).toBe(false);
  });

  it('makes nothing of what is not an error', () => {
    expect(isDatabaseUnavailableError('ECONNREFUSED')).toBe(false);
    expect(isDatabaseUnavailableError(undefined)).toBe(false);
  });
});
