import { describe, expect, test } from '@jest/globals';
import { canReceiveSms, dialledForm, formsOf, isLandline, parseContactPhone, parsePhone } from './phone-fields.js';

describe('parsePhone', () => {
  test.each([
    ['86', '13812345678', '+86', '13812345678'],
    ['+86', '138 1234 5678', '+86', '13812345678'],
    ['0086', '138-1234-5678', '+86', '13812345678'],
    ['+49', '0151 12345678', '+49', '15112345678'],
    ['49', '15112345678', '+49', '15112345678'],
    ['+44', '07911 123456', '+44', '7911123456'],
    ['+39', '320 1234567', '+39', '3201234567'],
    ['+1', '(202) 555-0123', '+1', '2025550123'],
    ['+1 684', '622 1234', '+1', '6846221234'],
    ['+44 1481', '723153', '+44', '1481723153'],
    ['852', '91234567', '+852', '91234567'],
    ['+86', '\u202d138\u20111234\u20135678\u202c', '+86', '13812345678'],
    ['＋８６', '１３８１２３４５６７８', '+86', '13812345678'],
    ['+٤٩', '٠١٥١ ١٢٣٤٥٦٧٨', '+49', '15112345678'],
  ])('converts %s %s to %s %s', (areaCode, phoneNumber, storedCode, storedNumber) => {
    expect(parsePhone(areaCode, phoneNumber)).toEqual({ areaCode: storedCode, phoneNumber: storedNumber });
  });

  test.each([
    ['+86', '12812345678'],
    ['+86', '01088888888'],
    ['+86', '110'],
    ['+49', '1'],
    ['+49', '15112345678901234'],
    ['+1', '0000000000'],
    ['China', '13812345678'],
    ['+999', '13812345678'],
    ['+800', '12345678'],
    ['+881', '612345678'],
    ['+49', '0151;12345678'],
    ['+49', ''],
  ])('rejects %s %s', (areaCode, phoneNumber) => {
    expect(parsePhone(areaCode, phoneNumber)).toBeUndefined();
  });
});

describe('parseContactPhone', () => {
  test.each([
    ['+86', '13812345678', '+86', '13812345678'],
    ['0086', '010-8888 8888', '+86', '1088888888'],
    ['+86', '110', '+86', '110'],
    ['86', '10086', '+86', '10086'],
    ['+49', '030 123456', '+49', '30123456'],
    ['+39', '06 12345678', '+39', '0612345678'],
    ['+800', '12345678', '+800', '12345678'],
  ])('converts %s %s to %s %s', (areaCode, phoneNumber, storedCode, storedNumber) => {
    expect(parseContactPhone(areaCode, phoneNumber)).toEqual({ areaCode: storedCode, phoneNumber: storedNumber });
  });

  test.each([
    ['+86', '12'],
    ['+86', '138123456789012'],
    ['+49', 'home'],
    ['China', '01088888888'],
  ])('rejects %s %s', (areaCode, phoneNumber) => {
    expect(parseContactPhone(areaCode, phoneNumber)).toBeUndefined();
  });
});

describe('canReceiveSms', () => {
  test.each([
    ['+86', '13812345678'],
    ['+86', '17012345678'],
    ['+49', '15112345678'],
    ['+49', '30123456'],
    ['+44', '7911123456'],
    ['+1', '2025550123'],
    ['+1', '6846221234'],
    ['+39', '3201234567'],
  ])('returns true for %s %s, the number of a person', (areaCode, phoneNumber) => {
    expect(canReceiveSms({ areaCode, phoneNumber })).toBe(true);
  });

  test.each([
    ['+1', '9005550123'],
    ['+1', '8005551234'],
    ['+44', '9098790000'],
    ['+44', '7012345678'],
    ['+44', '8431234567'],
    ['+33', '899123456'],
    ['+41', '900123456'],
    ['+49', '1371234567'],
    ...['800', '808', '870', '878', '881', '882', '883', '888', '979'].map((code) => [`+${code}`, '123456789']),
    ['+999', '123456789'],
  ])('A42 returns false for %s %s, whose owner may earn money from SMS', (areaCode, phoneNumber) => {
    expect(canReceiveSms({ areaCode, phoneNumber })).toBe(false);
  });
});

describe('isLandline', () => {
  test.each([
    [true, '+49', '30123456'],
    [true, '+44', '2079460000'],
    [false, '+49', '15112345678'],
    [false, '+1', '2025550123'],
    [false, '+86', '13812345678'],
  ])('returns %s for %s %s', (isOne, areaCode, phoneNumber) => {
    expect(isLandline({ areaCode, phoneNumber })).toBe(isOne);
  });
});

describe('mobile numbers that are written in two ways', () => {
  test.each([
    ['+54', '91123456789', '1123456789'],
    ['+52', '5512345678', '15512345678'],
    ['+55', '11987654321', '1187654321'],
  ])('dialledForm returns %s %s also for %s, and formsOf both', (areaCode, dialled, other) => {
    const phoneOf = (phoneNumber: string) => ({ areaCode, phoneNumber });
    expect([dialledForm(phoneOf(dialled)), dialledForm(phoneOf(other))]).toEqual([phoneOf(dialled), phoneOf(dialled)]);
    expect(formsOf(phoneOf(dialled))).toEqual([phoneOf(dialled), phoneOf(other)]);
    expect(formsOf(phoneOf(other))).toEqual([phoneOf(other), phoneOf(dialled)]);
  });

  test.each([
    ['+86', '13812345678'],
    ['+55', '1133334444'],
    ['+1', '2025550123'],
  ])('%s %s has one form', (areaCode, phoneNumber) => {
    expect(formsOf({ areaCode, phoneNumber })).toEqual([{ areaCode, phoneNumber }]);
  });
});
