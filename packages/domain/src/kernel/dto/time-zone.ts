import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import { StringField } from './fields.js';
import type { FieldOptions } from './fields.js';

/** Names only: the runtime would also take offsets like `+08:00`, which know no daylight saving. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;

/** True for a time zone of the IANA database that this runtime knows. */
export function isTimeZone(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 64 || !ZONE_NAME.test(value)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: value }));
  } catch {
    return false;
  }
}

/** Time zone of the IANA database. */
export function TimeZoneField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    StringField({
      minLength: 1,
      maxLength: 64,
      description: 'Time zone of the IANA database',
      example: 'Asia/Shanghai',
      ...options,
    }),
    ValidateBy({
      name: 'isTimeZone',
      validator: {
        validate: (value) => typeof value !== 'string' || isTimeZone(value),
        defaultMessage: () => '$property must be a time zone of the IANA database',
      },
    }),
  );
}
