import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsString,
  IsUUID,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';

/**
 * One decorator per kind of field: each validates and documents at once, so the two cannot drift apart.
 * `optional` means absent is fine and leaves the value alone; `nullable` means `null` is fine and clears it.
 */
export interface FieldOptions {
  description?: string;
  example?: unknown;
  optional?: boolean;
  nullable?: boolean;
}

/** Largest integer that a JSON number carries exactly; larger ones are refused, never rounded. */
export const MAX_INT64 = Number.MAX_SAFE_INTEGER;

const MAX_TEXT = 2_000;

function presence({ optional, nullable }: FieldOptions): PropertyDecorator {
  return ValidateIf(
    (_, value) => !(optional === true && value === undefined) && !(nullable === true && value === null),
  );
}

function documented(options: FieldOptions, schema: ApiPropertyOptions): PropertyDecorator {
  return ApiProperty({
    ...schema,
    description: options.description,
    example: options.example,
    required: options.optional !== true,
    ...(options.nullable === true ? { nullable: true } : {}),
  } as ApiPropertyOptions);
}

/** PostgreSQL stores neither NUL nor half a surrogate pair, and no keyboard makes them. */
function IsStorableText(): PropertyDecorator {
  return ValidateBy({
    name: 'isStorableText',
    validator: {
      validate: (value) => typeof value !== 'string' || (value.isWellFormed() && !value.includes('\u0000')),
      defaultMessage: () => '$property must be well-formed Unicode text without NUL',
    },
  });
}

/** Text of `minLength` (0) to `maxLength` (2,000) UTF-16 units; never converted from another type. */
export function StringField(
  options: FieldOptions & { minLength?: number; maxLength?: number; pattern?: RegExp } = {},
): PropertyDecorator {
  const { minLength = 0, maxLength = MAX_TEXT, pattern } = options;
  return applyDecorators(
    presence(options),
    IsString(),
    IsStorableText(),
    ...(minLength > 0 ? [MinLength(minLength)] : []),
    MaxLength(maxLength),
    ...(pattern ? [Matches(pattern)] : []),
    documented(options, {
      type: String,
      ...(minLength > 0 ? { minLength } : {}),
      maxLength,
      ...(pattern ? { pattern: pattern.source } : {}),
    }),
  );
}

/** Integer from `min` to `max` inclusive (default: every integer that JSON carries exactly). */
export function IntegerField(options: FieldOptions & { min?: number; max?: number } = {}): PropertyDecorator {
  const { min = Number.MIN_SAFE_INTEGER, max = MAX_INT64 } = options;
  return applyDecorators(
    presence(options),
    IsInt(),
    Min(min),
    Max(max),
    documented(options, {
      type: 'integer',
      format: Math.abs(max) > 2_147_483_647 ? 'int64' : 'int32',
      ...(options.min === undefined ? {} : { minimum: min }),
      ...(options.max === undefined ? {} : { maximum: max }),
    }),
  );
}

/** An {@link IntegerField} that travels in an address: decimal text, converted before the check. */
export function IntegerQueryField(options: FieldOptions & { min?: number; max?: number } = {}): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value,
    ),
    IntegerField(options),
  );
}

/** True or false, never a word for it. */
export function BooleanField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(presence(options), IsBoolean(), documented(options, { type: Boolean }));
}

/** A {@link BooleanField} that travels in an address: `true` or `false`. */
export function BooleanQueryField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value)),
    BooleanField(options),
  );
}

/** One of the numbers or upper-case words of an enumeration object. */
export function EnumField<Value extends string | number>(
  values: Readonly<Record<string, Value>>,
  options: FieldOptions = {},
): PropertyDecorator {
  const allowed = Object.values(values);
  return applyDecorators(
    presence(options),
    IsIn(allowed),
    documented(options, { enum: allowed, type: typeof allowed[0] === 'number' ? 'integer' : 'string' }),
  );
}

/** Identifier in UUID text form, as the service makes them: random, never sequential. */
export function UuidField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(presence(options), IsUUID(), documented(options, { type: String, format: 'uuid' }));
}

/**
 * Identifier of a thing that is looked up: any non-empty text is well formed, so that a malformed id answers
 * exactly like an unknown one.
 */
export function ReferenceField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({ minLength: 1, maxLength: 128, ...options });
}

/** The watch's identifier: a positive int64 of at most 2^53 − 1 (specification 2.2). */
export function DeviceIdField(options: FieldOptions = {}): PropertyDecorator {
  return IntegerField({ min: 1, max: MAX_INT64, example: 7_312_904_418_220_331, ...options });
}

/** {@link DeviceIdField} in an address. */
export function DeviceIdQueryField(options: FieldOptions = {}): PropertyDecorator {
  return IntegerQueryField({ min: 1, max: MAX_INT64, example: 7_312_904_418_220_331, ...options });
}

/** Name of a person, a family or a thing, at least one character (specification 2.5). */
export function NameField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({ minLength: 1, maxLength: 256, ...options });
}

/** Mobile number by the specification's pattern (2.5; its doubled backslash is an escape). */
export function PhoneNumberField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({ pattern: /^1[3-9]\d{9}$/, maxLength: 11, example: '13812345678', ...options });
}

/** Country calling code with or without `+`; stored with it (specification 2.5). */
export function AreaCodeField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({ minLength: 1, maxLength: 16, example: '+86', ...options });
}

/** Time in Unix milliseconds. */
export function UnixMillisecondsField(options: FieldOptions = {}): PropertyDecorator {
  return IntegerField({ min: 0, max: 8_640_000_000_000_000, example: 1_790_000_000_000, ...options });
}

/** A nested object of a DTO class. */
export function NestedField(type: () => new () => object, options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    presence(options),
    IsObject(),
    ValidateNested(),
    Type(type),
    // Swagger takes a function for lazy only if it is named `type`.
    documented(options, { type: () => type() }),
  );
}

/** A list of objects of a DTO class. */
export function NestedListField(
  type: () => new () => object,
  options: FieldOptions & { minItems?: number; maxItems: number },
): PropertyDecorator {
  const { minItems = 0, maxItems } = options;
  return applyDecorators(
    presence(options),
    IsArray(),
    ArrayMinSize(minItems),
    ArrayMaxSize(maxItems),
    // A list inside of the list would be looked into, and taken for one of the objects.
    IsObject({ each: true }),
    ValidateNested({ each: true }),
    Type(type),
    documented(options, { type: () => type(), isArray: true, minItems, maxItems }),
  );
}

/**
 * A list that is documented here and whose items are judged one by one elsewhere: a bad one must not keep the good
 * ones from being taken.
 */
export function UnvalidatedListField(
  type: () => new () => object,
  options: FieldOptions & { minItems?: number; maxItems: number },
): PropertyDecorator {
  const { minItems = 0, maxItems } = options;
  return applyDecorators(
    presence(options),
    IsArray(),
    ArrayMinSize(minItems),
    ArrayMaxSize(maxItems),
    documented(options, { type: () => type(), isArray: true, minItems, maxItems }),
  );
}

/** A list of texts. */
export function StringListField(
  options: FieldOptions & { minItems?: number; maxItems: number; maxLength?: number },
): PropertyDecorator {
  const { minItems = 0, maxItems, maxLength = MAX_TEXT } = options;
  return applyDecorators(
    presence(options),
    IsArray(),
    ArrayMinSize(minItems),
    ArrayMaxSize(maxItems),
    IsString({ each: true }),
    MaxLength(maxLength, { each: true }),
    documented(options, { type: String, isArray: true, minItems, maxItems }),
  );
}
