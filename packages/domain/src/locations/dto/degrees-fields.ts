import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { StringField, type FieldOptions } from '../../kernel/dto/fields.js';
import { LATITUDE_PATTERN, LONGITUDE_PATTERN, MAX_DEGREES_LENGTH, roundDegrees } from '../contracts/validate-point.js';

const ROUNDING = 'More than ten decimals are rounded';

/** Latitude in degrees as decimal text, −90 to 90 (specification 2.3). */
export function LatitudeField({
  description = 'Degrees WGS 84, −90 to 90',
  ...options
}: FieldOptions = {}): PropertyDecorator {
  return DegreesField(LATITUDE_PATTERN, MAX_DEGREES_LENGTH.latitude, { example: '31.2304', description, ...options });
}

/** Longitude in degrees as decimal text, −180 to 180 (specification 2.3). */
export function LongitudeField(): PropertyDecorator {
  const description = 'Degrees WGS 84, −180 to 180';
  return DegreesField(LONGITUDE_PATTERN, MAX_DEGREES_LENGTH.longitude, { example: '121.4737', description });
}

function DegreesField(pattern: RegExp, maxLength: number, options: FieldOptions): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && pattern.test(value) ? roundDegrees(value) : value,
    ),
    StringField({ ...options, pattern, maxLength, description: `${options.description}. ${ROUNDING}` }),
  );
}
