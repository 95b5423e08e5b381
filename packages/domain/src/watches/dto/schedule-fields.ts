import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique, IsArray, IsInt, Max, Min, ValidateBy } from 'class-validator';
import { describe, StringField, ValidateIfPresent, type FieldOptions } from '../../kernel/dto/fields.js';

/** Maximum number of dates in one list of an alarm, a school time or an attendance window. */
const MAX_DATES_PER_SCHEDULE = 100;

const DATE_PATTERN = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/** Weekdays, 1 Monday to 7 Sunday, without duplicates. */
export function WeekdaysField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    ValidateIfPresent(options),
    IsArray(),
    ArrayMaxSize(7),
    ArrayUnique(),
    IsInt({ each: true }),
    Min(1, { each: true }),
    Max(7, { each: true }),
    ApiProperty({
      description: `1 Monday to 7 Sunday, without duplicates. ${describe(options) ?? ''}`.trim(),
      type: 'array',
      items: { type: 'integer', minimum: 1, maximum: 7 },
      uniqueItems: true,
      maxItems: 7,
      required: options.optional !== true,
      example: [1, 2, 3, 4, 5],
    }),
  );
}

/** Dates (`YYYY-MM-DD`) in the child's time zone, without duplicates. */
export function LocalDatesField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    ValidateIfPresent(options),
    IsArray(),
    ArrayMaxSize(MAX_DATES_PER_SCHEDULE),
    ArrayUnique(),
    ValidateBy({
      name: 'areDates',
      validator: {
        validate: (value) => Array.isArray(value) && value.every(isDate),
        defaultMessage: () => '$property must contain valid dates in the format YYYY-MM-DD',
      },
    }),
    ApiProperty({
      description: describe(options),
      type: 'array',
      items: { type: 'string', format: 'date' },
      uniqueItems: true,
      maxItems: MAX_DATES_PER_SCHEDULE,
      required: options.optional !== true,
      example: ['2026-10-01'],
    }),
  );
}

/** Time of day, `HH:MM` in 24-hour format. */
export function TimeOfDayField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({ pattern: /^([01]\d|2[0-3]):[0-5]\d$/, maxLength: 5, example: '08:30', ...options });
}

/** Returns true for a date that exists. For example, 30 February matches the pattern but does not exist. */
function isDate(value: unknown): boolean {
  if (typeof value !== 'string' || !DATE_PATTERN.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}
