import { expect, test } from '@jest/globals';
import { servedType } from './served-type.js';

test.each(['image/jpeg', 'image/heic', 'audio/mpeg', 'video/mp4', 'application/pdf'])(
  'serves %s with its own type',
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
])('serves %j as application/octet-stream', (type) => {
  expect(servedType(type)).toBe('application/octet-stream');
});
