import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { GeolocateRequestDto, LocateRequestDto } from './positioning.dto.js';

const read = (value: object) => {
  const request = plainToInstance(GeolocateRequestDto, value);
  expect(validateSync(request)).toEqual([]);
  return request;
};

describe('GeolocateRequestDto', () => {
  test.each([
    [true, true],
    ['true', true],
    ['yes', true],
    [1, true],
    [false, false],
    ['false', false],
    ['False', false],
    [0, false],
    ['0', false],
    [null, null],
    [undefined, undefined],
  ])('reads the boolean %j as %j', (value, expected) => {
    const { considerIp, fallbacks } = read({ considerIp: value, fallbacks: { lacf: value, ipf: value } });
    expect([considerIp, fallbacks?.lacf, fallbacks?.ipf]).toEqual([expected, expected, expected]);
  });

  test.each(['gsm', 'cdma', 'wcdma', 'lte', 'nr', null])('accepts the radio type %j', (radioType) => {
    expect(read({ radioType }).radioType).toBe(radioType);
  });
});

test('LocateRequestDto rejects a text instead of a boolean', () => {
  expect(validateSync(plainToInstance(LocateRequestDto, { considerIp: 'true' }))).toHaveLength(1);
});
