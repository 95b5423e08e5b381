import { expect, test } from '@jest/globals';
import { servedType } from './served-type.js';

test.each(['image/jpeg', 'image/heic', 'audio/mpeg', 'video/mp4', 'application/pdf'])(
  'servedType(%s) returns the same type',
  (type) => {
    expect(servedType(type)).toBe(type);
  },
);

test.each([
  'text/html',
  'image/svg+xml',
  'application/xml',
  'text/plain',
  'application/javascript',
  'video/x\r\ny',
  '',
])('servedType(%j) returns application/octet-stream', (type) => {
  expect(servedType(type)).toBe('application/octet-stream');
});
