import { describe, expect, test } from '@jest/globals';
import { withDatabase, withRoleAndDatabase } from './connection-url.js';

const ROLE = { name: 'app', password: 'p@ss' };

describe('withRoleAndDatabase and withDatabase', () => {
  test('replace the role and the database in a URL', () => {
    const url = 'postgres://postgres:old@db.example:5433/postgres?sslmode=require';
    expect(withRoleAndDatabase(url, ROLE, 'suite')).toBe('postgres://app:p%40ss@db.example:5433/suite?sslmode=require');
    expect(withDatabase(url, 'suite')).toBe('postgres://postgres:old@db.example:5433/suite?sslmode=require');
  });

  test('preserve the directory of a Unix socket in the URL', () => {
    const url = 'postgres://postgres@/postgres?host=%2Ftmp%2Fsocket';
    expect(withRoleAndDatabase(url, ROLE, 'suite')).toBe('postgres://app:p%40ss@/suite?host=%2Ftmp%2Fsocket');
    expect(withDatabase(url, 'suite')).toBe('postgres://postgres@/suite?host=%2Ftmp%2Fsocket');
  });

  test('add a database to a URL without one', () => {
    expect(withDatabase('postgres://postgres@localhost', 'suite')).toBe('postgres://postgres@localhost/suite');
  });

  test('throw for URLs whose scheme is not postgres:', () => {
    expect(() => withRoleAndDatabase('mysql://localhost/db', ROLE, 'suite')).toThrow('Not a postgres:// URL');
  });
});
