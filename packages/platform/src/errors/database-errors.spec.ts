import { describe, expect, test } from '@jest/globals';
import {
  DatabaseUnavailableError,
  isTransactionAbortedError,
  isDatabaseOutageError,
  isTransactionConflictError,
  TransactionConflictError,
  isDatabaseUnavailableError,
} from './database-errors.js';

const withCode = (code: string): Error => Object.assign(new Error('from the driver'), { code });

describe('database error classification', () => {
  test.each(['ECONNREFUSED', 'ENOENT', '57P01', '57P03', '53300', '08006', '57014', '55P03', '55000'])(
    'classifies error code %s as an unavailable database',
    (code) => {
      expect(isDatabaseUnavailableError(withCode(code))).toBe(true);
    },
  );

  test.each(['23505', '42501', '22012', '40001', '28P01'])(
    'does not classify error code %s as an unavailable database',
    (code) => {
      expect(isDatabaseUnavailableError(withCode(code))).toBe(false);
    },
  );

  test('classifies errors without a code by the message of the driver', () => {
    expect(isDatabaseUnavailableError(new Error('Connection terminated unexpectedly'))).toBe(true);
    expect(isDatabaseUnavailableError(new Error('timeout exceeded when trying to connect'))).toBe(true);
    expect(isDatabaseUnavailableError(new Error('no such watch'))).toBe(false);
  });

  test('checks the cause of an error, its driver error and the errors of an AggregateError', () => {
    const unavailable = withCode('ECONNREFUSED');
    expect(isDatabaseUnavailableError(new Error('outer', { cause: unavailable }))).toBe(true);
    expect(isDatabaseUnavailableError(Object.assign(new Error('query failed'), { driverError: unavailable }))).toBe(
      true,
    );
    expect(isDatabaseUnavailableError(new AggregateError([withCode('EOTHER'), unavailable]))).toBe(true);
    expect(isDatabaseUnavailableError(new DatabaseUnavailableError())).toBe(true);
  });

  test.each(['40P01', '40001'])('classifies error code %s as a retryable conflict', (code) => {
    expect(isTransactionConflictError(new Error('outer', { cause: withCode(code) }))).toBe(true);
    expect(isTransactionConflictError(withCode('23505'))).toBe(false);
    expect(isTransactionConflictError(new TransactionConflictError({ cause: withCode('23505') }))).toBe(true);
  });

  test('recognizes errors of statements that were rejected because an earlier statement of the transaction failed', () => {
    expect(
      isTransactionAbortedError(Object.assign(new Error('query failed'), { driverError: withCode('25P02') })),
    ).toBe(true);
    expect(isTransactionAbortedError(withCode('40P01'))).toBe(false);
  });

  test('does not classify values that are not errors as an unavailable database', () => {
    expect(isDatabaseUnavailableError('ECONNREFUSED')).toBe(false);
    expect(isDatabaseUnavailableError(undefined)).toBe(false);
  });

  test.each(['ECONNREFUSED', '57P01', '08006', '53100', '25006'])(
    'classifies a DatabaseUnavailableError with cause %s as an outage',
    (code) => {
      const error = new DatabaseUnavailableError({ cause: withCode(code) });
      expect(isDatabaseOutageError(error)).toBe(true);
      expect(isDatabaseOutageError(new Error('Batch failed', { cause: error }))).toBe(true);
    },
  );

  test.each(['57014', '55P03', '25P03', '25P04'])('does not classify the timeout %s as an outage', (code) => {
    expect(isDatabaseOutageError(new DatabaseUnavailableError({ cause: withCode(code) }))).toBe(false);
  });

  test('does not classify a connection error without DatabaseUnavailableError as an outage', () => {
    expect(isDatabaseOutageError(withCode('ECONNREFUSED'))).toBe(false);
  });
});
