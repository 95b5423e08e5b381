import { expect, test } from '@jest/globals';
import { servedType } from './served-type.js';

test.each(['image/jpeg', 'image/heic', 'audio/mpeg', 'video/mp4', 'application/pdf'])('%s is shown', (type) => {
  expect(servedType(type)).toBe(type);
});

test.each([
  'text/html',
  'image/svg+xml',
  'application/xml',
  'text/plain',
  'application/javascript',
  'video/x\r\ny',
  '',
])('%j is bytes', (type) => {
  expect(servedType(type)).toBe('application/octet-stream');
});
