import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import { getCountries, getCountryCallingCode } from 'libphonenumber-js';
import { normalizeAreaCode } from '../../accounts/contracts/account.js';
import { AreaCodeField } from '../../kernel/dto/fields.js';
import type { FieldOptions } from '../../kernel/dto/fields.js';

/** Calling codes of the ITU that belong to no country: freephone numbers, satellites and global networks. */
const GLOBAL_CALLING_CODES = ['800', '808', '870', '878', '881', '882', '883', '888', '979'];

const CALLING_CODES: ReadonlySet<string> = new Set(
  [...getCountries().map((country) => getCountryCallingCode(country)), ...GLOBAL_CALLING_CODES].map(
    (code) => `+${code}`,
  ),
);

/** Countries that share the calling code +1 are listed with their area code, such as +1684 for American Samoa. */
const NORTH_AMERICAN_CODE = /^\+1[2-9]\d{2}$/;

/**
 * Returns whether a code in the form of `normalizeAreaCode` is a calling code of the ITU, or +1 with an area code of the
 * North American Numbering Plan.
 */
export function isCallingCode(areaCode: string): boolean {
  return CALLING_CODES.has(areaCode) || NORTH_AMERICAN_CODE.test(areaCode);
}

/** Country calling code of a contact, with or without `+` or `00`. */
export function ContactAreaCodeField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    AreaCodeField(options),
    ValidateBy({
      name: 'isCallingCode',
      validator: {
        validate: (value) => typeof value !== 'string' || isCallingCode(normalizeAreaCode(value)),
        defaultMessage: () => '$property must be a country calling code, such as +86',
      },
    }),
  );
}
