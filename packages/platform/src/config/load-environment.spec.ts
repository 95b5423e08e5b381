import { expect, test } from '@jest/globals';
import { Environment } from './environment.js';
import { loadEnvironment } from './load-environment.js';

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
