import { describe, expect, test } from '@jest/globals';
import { IntegerField, StringField } from '@family-watch/domain/kernel/dto/fields';
import { validateArguments } from './command-line.js';

class ArgumentsDto {
  @StringField({ maxLength: 3 })
  loginName!: string;

  @IntegerField({ min: 1 })
  days!: number;
}

describe('validateArguments', () => {
  test('returns the declared fields of valid arguments', () => {
    expect(validateArguments(ArgumentsDto, { loginName: 'ann', days: 1, other: 1 })).toEqual({
      loginName: 'ann',
      days: 1,
    });
  });

  test('names each missing and each invalid option in a line of its own', () => {
    expect(() => validateArguments(ArgumentsDto, { days: 0 })).toThrow(
      /^--login-name is required\n--days must not be less than 1$/,
    );
  });

  test('names fields as the caller does, and appends the usage', () => {
    const names = { nameOf: (field: string) => `${field} in the file`, usage: 'Usage: …' };
    expect(() => validateArguments(ArgumentsDto, { loginName: 'anna', days: 1 }, names)).toThrow(
      /^loginName in the file must be shorter than or equal to 3 characters\n\nUsage: …$/,
    );
  });
});
