import { applyDecorators } from '@nestjs/common';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js';
import { parsePhoneNumberFromString as parseWithType } from 'libphonenumber-js/max';
import { CHINESE_MOBILE_NUMBER, StringField, type FieldOptions } from '../../kernel/dto/fields.js';
import { toAsciiDigits } from '../../kernel/contracts/ascii-digits.js';
import { validationError } from '../../kernel/contracts/service-error.js';
import { normalizeAreaCode, type Phone } from '../contracts/account.js';

const CHINA = '+86';

/** Numbers that exist within a country only, such as 110 or 10086. */
const SHORT_NUMBER = /^\d{3,6}$/;

/**
 * Calling codes of the ITU that belong to no country: freephone numbers, satellites and global networks. SMS to them are
 * expensive or impossible.
 */
const GLOBAL_CALLING_CODES = ['800', '808', '870', '878', '881', '882', '883', '888', '979'];

/**
 * Types of numbers that receive SMS: those of persons. All other types, such as premium rates, shared cost and the
 * follow-me numbers of the United Kingdom, earn money for whoever has registered the number.
 */
const SMS_NUMBER_TYPES: readonly string[] = ['MOBILE', 'FIXED_LINE', 'FIXED_LINE_OR_MOBILE', 'VOIP'];

const CALLING_CODES: ReadonlySet<string> = new Set(
  [...getCountries().map((country) => getCountryCallingCode(country)), ...GLOBAL_CALLING_CODES].map(
    (code) => `+${code}`,
  ),
);

/** Countries that share the calling code +1 are listed with their area code, such as +1684 for American Samoa. */
const NORTH_AMERICAN_CODE = /^\+1[2-9]\d{2}$/;

const PHONE_NUMBER_RULE = 'must be a phone number of the country that areaCode names';

/**
 * Returns whether a code in the form of `normalizeAreaCode` is a calling code of the ITU, or +1 with an area code of the
 * North American Numbering Plan.
 */
function isCallingCode(areaCode: string): boolean {
  return CALLING_CODES.has(areaCode) || NORTH_AMERICAN_CODE.test(areaCode);
}

/**
 * Returns a number that can receive SMS in the form in which it is stored (`+49`, `15112345678` for `0049` and
 * `0151 12345678`), or `undefined` if it is no number of the country. Numbers of mainland China must be mobile numbers.
 */
export function parsePhone(areaCode: string, phoneNumber: string): Phone | undefined {
  const digits = toAsciiDigits(phoneNumber);
  if (normalizeAreaCode(areaCode) === CHINA)
    return CHINESE_MOBILE_NUMBER.test(digits) ? { areaCode: CHINA, phoneNumber: digits } : undefined;
  const parsed = parseDigits(areaCode, digits);
  if (!parsed?.isValid() || GLOBAL_CALLING_CODES.includes(parsed.countryCallingCode)) return undefined;
  return toPhone(parsed);
}

/**
 * Returns whether the service sends SMS to a number. A number whose type is unknown is accepted, because the installed
 * library may be older than a range of mobile numbers.
 */
export function canReceiveSms({ areaCode, phoneNumber }: Phone): boolean {
  const parsed = parseWithType(areaCode + phoneNumber);
  if (!parsed || GLOBAL_CALLING_CODES.includes(parsed.countryCallingCode)) return false;
  const type = parsed.getType();
  return type === undefined || SMS_NUMBER_TYPES.includes(type);
}

/**
 * Returns whether a number is only a landline, which cannot be the number of a new account. In countries where landlines
 * and mobile numbers look the same, no number is.
 */
export function isLandline({ areaCode, phoneNumber }: Phone): boolean {
  return parseWithType(areaCode + phoneNumber)?.getType() === 'FIXED_LINE';
}

/** Mobile numbers that are written in two ways, by calling code: how the network dials them, and how else. */
const OTHER_WRITINGS: Readonly<Record<string, { dialled: RegExp; toOther: string; other: RegExp; toDialled: string }>> =
  {
    // Argentina dials 9 before mobile numbers from abroad.
    '+54': { dialled: /^9(\d{10})$/, toOther: '$1', other: /^([1-8]\d{9})$/, toDialled: '9$1' },
    // Mexico dialled 1 before mobile numbers from abroad until 2019.
    '+52': { dialled: /^([2-9]\d{9})$/, toOther: '1$1', other: /^1(\d{10})$/, toDialled: '$1' },
    // Brazil has put 9 before the eight digits of mobile numbers until 2016.
    '+55': { dialled: /^(\d\d)9([6-9]\d{7})$/, toOther: '$1$2', other: /^(\d\d)([6-9]\d{7})$/, toDialled: '$19$2' },
  };

/** Calling codes of the countries in which a mobile number has two forms. */
export const CALLING_CODES_WITH_FORMS: readonly string[] = Object.keys(OTHER_WRITINGS);

/** Returns the number in the form that the network dials. In most countries, each number has only one form. */
export function dialledForm(phone: Phone): Phone {
  const writing = OTHER_WRITINGS[phone.areaCode];
  if (!writing?.other.test(phone.phoneNumber)) return phone;
  const phoneNumber = phone.phoneNumber.replace(writing.other, writing.toDialled);
  return parseWithType(phone.areaCode + phoneNumber)?.isValid() === true ? { ...phone, phoneNumber } : phone;
}

/** Returns all forms in which the number of an account may be stored, first the given one. */
export function formsOf(phone: Phone): Phone[] {
  const { areaCode, phoneNumber } = phone;
  const dialled = dialledForm(phone);
  const writing = OTHER_WRITINGS[areaCode];
  const numbers = [phoneNumber, dialled.phoneNumber];
  if (writing?.dialled.test(dialled.phoneNumber))
    numbers.push(dialled.phoneNumber.replace(writing.dialled, writing.toOther));
  return [...new Set(numbers)].map((number) => ({ areaCode, phoneNumber: number }));
}

/** Returns a number that a watch can call, also a landline or a short number, in the form in which it is stored. */
export function parseContactPhone(areaCode: string, phoneNumber: string): Phone | undefined {
  const mobile = parsePhone(areaCode, phoneNumber);
  if (mobile) return mobile;
  const digits = toAsciiDigits(phoneNumber);
  const code = normalizeAreaCode(areaCode);
  if (SHORT_NUMBER.test(digits) && isCallingCode(code)) return { areaCode: code, phoneNumber: digits };
  const parsed = parseDigits(areaCode, digits);
  return parsed?.isPossible() ? toPhone(parsed) : undefined;
}

/** Like {@link parsePhone}. @throws ServiceError VALIDATION_FAILED for a number that does not exist in the country */
export function requirePhone(areaCode: string, phoneNumber: string): Phone {
  return parsePhone(areaCode, phoneNumber) ?? throwNoPhoneNumber();
}

/** Like {@link parseContactPhone}. @throws ServiceError VALIDATION_FAILED for a number that cannot exist in the country */
export function requireContactPhone(areaCode: string, phoneNumber: string): Phone {
  return parseContactPhone(areaCode, phoneNumber) ?? throwNoPhoneNumber();
}

function throwNoPhoneNumber(): never {
  throw validationError('phoneNumber', 'isPhoneNumber', `phoneNumber ${PHONE_NUMBER_RULE}`);
}

type ParsedNumber = NonNullable<ReturnType<typeof parsePhoneNumberFromString>>;

function parseDigits(areaCode: string, digits: string): ParsedNumber | undefined {
  if (!/^\d+$/.test(digits)) return undefined;
  const code = normalizeAreaCode(areaCode).replaceAll(/[^\d+]/g, '');
  return parsePhoneNumberFromString(code + digits) ?? undefined;
}

function toPhone({ countryCallingCode, nationalNumber }: ParsedNumber): Phone {
  return { areaCode: `+${countryCallingCode}`, phoneNumber: nationalNumber };
}

/** Country calling code: `86`, `+86` and `0086` are the same (specification 2.5). */
export function CallingCodeField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    StringField({
      minLength: 1,
      maxLength: 16,
      example: '+86',
      description: 'Country calling code, with or without `+` or `00`',
      ...options,
    }),
    ValidateBy({
      name: 'isCallingCode',
      validator: {
        validate: (value) => typeof value !== 'string' || isCallingCode(normalizeAreaCode(value)),
        defaultMessage: () => '$property must be a country calling code, such as +86',
      },
    }),
  );
}

/**
 * Area code of a child's phone. The only rule of specification 2.5 is the minimum length. A text that is no calling code
 * is stored as it is, and the number is not dialled.
 */
export function ChildAreaCodeField(): PropertyDecorator {
  const description = 'Country calling code, with or without `+` or `00`. Another text is stored unchanged.';
  return StringField({ minLength: 1, maxLength: 64, example: '+86', description });
}

const WRITING =
  'Without the country calling code. Spaces and hyphens are removed, and the prefix of calls within the country (`0` ' +
  'in many countries).';

/** Mobile number of an account; the same object has the calling code in `areaCode`. */
export function AccountPhoneNumberField(options: FieldOptions = {}): PropertyDecorator {
  const description = `Mobile number of the account; for +86 it matches \`${CHINESE_MOBILE_NUMBER.source}\`. ${WRITING}`;
  return NumberOfCountryField({ description, ...options }, parsePhone);
}

/** Number of a contact: a mobile number, a landline or a short number; `areaCode` has the calling code. */
export function ContactPhoneNumberField(options: FieldOptions = {}): PropertyDecorator {
  const sentences = ['Mobile number, landline or short number.', options.description, WRITING];
  const description = sentences.filter((sentence) => sentence !== undefined).join(' ');
  return NumberOfCountryField({ ...options, description }, parseContactPhone);
}

function NumberOfCountryField(options: FieldOptions, parse: typeof parsePhone): PropertyDecorator {
  return applyDecorators(
    StringField({ minLength: 1, maxLength: 32, example: '13812345678', ...options }),
    ValidateBy({
      name: 'isPhoneNumber',
      validator: {
        validate: (value, args) => {
          const { areaCode } = (args as ValidationArguments).object as { areaCode?: unknown };
          // An invalid calling code is reported once, for its own field. An update may omit the calling code.
          if (typeof areaCode !== 'string' || !isCallingCode(normalizeAreaCode(areaCode))) return true;
          return typeof value !== 'string' || parse(areaCode, value) !== undefined;
        },
        defaultMessage: () => `$property ${PHONE_NUMBER_RULE}`,
      },
    }),
  );
}
