import { describe, expect, it } from '@jest/globals';
import {
  DatabaseUnavailableError,
  meansAborted,
  meansConflict,
  meansUnavailable,
} from './database-unavailable.error.js';

const withCode = (code: string): Error => Object.assign(new Error('from the driver'), { code });

describe('errors of the database', () => {
  it.each(['ECONNREFUSED', 'ENOENT', '57P01', '57P03', '53300', '08006', '57014', '55P03', '55000'])(
    '%s means away',
    (code) => {
      expect(meansUnavailable(withCode(code))).toBe(true);
    },
  );

  it.each(['23505', '42501', '22012', '40001', '28P01'])('%s does not mean away', (code) => {
    expect(meansUnavailable(withCode(code))).toBe(false);
  });

  it('knows the driver’s messages that have no code', () => {
    expect(meansUnavailable(new Error('Connection terminated unexpectedly'))).toBe(true);
    expect(meansUnavailable(new Error('timeout exceeded when trying to connect'))).toBe(true);
    expect(meansUnavailable(new Error('no such watch'))).toBe(false);
  });

  it('looks into causes, driver errors and the parts of an aggregate', () => {
    const away = withCode('ECONNREFUSED');
    expect(meansUnavailable(new Error('outer', { cause: away }))).toBe(true);
    expect(meansUnavailable(Object.assign(new Error('query failed'), { driverError: away }))).toBe(true);
    expect(meansUnavailable(new AggregateError([withCode('EOTHER'), away]))).toBe(true);
    expect(meansUnavailable(new DatabaseUnavailableError())).toBe(true);
  });

  it.each(['40P01', '40001'])('%s may succeed when it is tried again', (code) => {
    expect(meansConflict(new Error('outer', { cause: withCode(code) }))).toBe(true);
    expect(meansConflict(withCode('23505'))).toBe(false);
  });

  it('knows what was refused only because of what failed before', () => {
    expect(meansAborted(Object.assign(new Error('query failed'), { driverError: withCode('25P02') }))).toBe(true);
    expect(meansAborted(withCode('40P01'))).toBe(false);
  });

  it('makes nothing of what is not an error', () => {
    expect(meansUnavailable('ECONNREFUSED')).toBe(false);
    expect(meansUnavailable(undefined)).toBe(false);
  });
});
