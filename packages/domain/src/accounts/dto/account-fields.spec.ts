import 'reflect-metadata';
import { expect, test } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { SetPasswordDto, StepUpDto } from './profile.dto.js';

test('NewPasswordField counts the characters of the normalized password', () => {
  const errorsOf = (password: string) => validateSync(plainToInstance(SetPasswordDto, { password })).length;
  expect(errorsOf('ä'.repeat(7).normalize('NFD'))).toBe(1);
  expect(errorsOf('한'.repeat(8).normalize('NFD'))).toBe(0);
  expect(errorsOf('한'.repeat(128).normalize('NFD'))).toBe(0);
  expect(errorsOf('한'.repeat(129))).toBe(1);
});

test('CurrentPasswordField accepts the longest password in each normalization form', () => {
  // Of all characters, this one has the longest decomposition.
  const password = '\u1f82'.repeat(128);
  for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD']) {
    const stepUp = plainToInstance(StepUpDto, { password: password.normalize(form) });
    expect(validateSync(stepUp)).toEqual([]);
  }
});
