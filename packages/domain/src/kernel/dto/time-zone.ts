import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import { StringField } from './fields.js';
import type { FieldOptions } from './fields.js';

/**
 * Matches only names of time zones, because the runtime also accepts offsets like `+08:00`, which have no daylight
 * saving time.
 */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;

/** Returns true for an IANA time zone that this runtime supports. */
export function isTimeZone(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 64 || !ZONE_NAME.test(value)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: value }));
  } catch {
    return false;
  }
}

/** IANA time zone. */
export function TimeZoneField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    StringField({
      minLength: 1,
      maxLength: 64,
      description: 'IANA time zone',
      example: 'Asia/Shanghai',
      ...options,
    }),
    ValidateBy({
      name: 'isTimeZone',
      validator: {
        validate: (value) => typeof value !== 'string' || isTimeZone(value),
        defaultMessage: () => '$property must be an IANA time zone',
      },
    }),
  );
}
