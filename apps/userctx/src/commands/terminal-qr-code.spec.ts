import { afterEach, expect, test } from '@jest/globals';
import { terminalQrCode } from './terminal-qr-code.js';

const { isTTY } = process.stdout;
afterEach(() => {
  process.stdout.isTTY = isTTY;
});

test('a terminal shows a QR code, a file or a program does not get one', () => {
  process.stdout.isTTY = true;
  expect(terminalQrCode('otpauth://totp/Family%20Watch:anna').split('\n').length).toBeGreaterThan(10);
  process.stdout.isTTY = false;
  expect(terminalQrCode('otpauth://totp/Family%20Watch:anna')).toBe('');
});
