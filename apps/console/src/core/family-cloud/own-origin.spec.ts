import { expect, test } from '@jest/globals';
import { toOwnOrigin } from './own-origin.js';

test('replaces the origin and keeps path and query', () => {
  expect(toOwnOrigin('http://127.0.0.1:8080/app-api/mcdisk/blob/x?v=1', 'https://watch.example')).toBe(
    'https://watch.example/app-api/mcdisk/blob/x?v=1',
  );
});

test('returns an empty text for a file without the URL', () => {
  expect(toOwnOrigin('', 'https://watch.example')).toBe('');
});
