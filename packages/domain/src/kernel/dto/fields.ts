import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
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
import { Temporal } from 'temporal-polyfill';
import { EARLIEST_WATCH_TIME } from '../contracts/watch-time.js';
import { isDisplayable } from '../contracts/displayable-text.js';

/**
 * Options of the field decorators. Each decorator both validates and documents a field, so validation and documentation
 * cannot diverge. `optional` means that the field may be omitted, which leaves the value unchanged; in a request, `null`
 * in an optional field is the same as an omitted field. `nullable` means that `null` is a value of its own, and in an
 * update clears the value.
 */
export interface FieldOptions {
  description?: string;
  example?: unknown;
  optional?: boolean;
  nullable?: boolean;
  /** The empty value that `null` stands for in an update (`''`, `[]`); only for optional fields. */
  nullMeans?: unknown;
}

/**
 * Largest int64 value that the service accepts: 2^53 − 1, the largest integer that a JSON number represents exactly.
 * Larger integers are rejected, never rounded.
 */
export const MAX_ACCEPTED_INT64 = Number.MAX_SAFE_INTEGER;

const MAX_TEXT_LENGTH = 2_000;

/** How the values of a field of a request are converted before the field is validated. */
export interface RequestConversion {
  /** `null` stands for this value; `undefined` means that a field with `null` counts as omitted. */
  null?: { means: unknown };
  /** An empty text counts as an omitted field. */
  isAbsentIfEmpty?: true;
  /** UUIDs in the field are converted to lower case, in which the service issues them. */
  isId?: true;
  /** The text is converted to NFC, and a text without a visible character to an empty text. */
  isName?: true;
  /** The text is converted to ASCII digits without the separators that people and phones put between them. */
  isPhoneNumber?: true;
}

const REQUEST_CONVERSION = 'family-watch:request-conversion';
const NO_CONVERSION: RequestConversion = {};

function Converts(conversion: RequestConversion): PropertyDecorator {
  return (target, property) =>
    Reflect.defineMetadata(
      REQUEST_CONVERSION,
      { ...requestConversionOf(target, String(property)), ...conversion },
      target,
      property,
    );
}

/** Returns the conversion of a field, by the prototype of its DTO. */
export function requestConversionOf(prototype: object, field: string): RequestConversion {
  return (Reflect.getMetadata(REQUEST_CONVERSION, prototype, field) as RequestConversion | undefined) ?? NO_CONVERSION;
}

/** Validates a field only if it is present: neither an omitted optional field, nor `null` in a nullable field. */
export function ValidateIfPresent({ optional, nullable, nullMeans }: FieldOptions): PropertyDecorator {
  return applyDecorators(
    ValidateIf((_, value) => !(optional === true && value === undefined) && !(nullable === true && value === null)),
    Converts({ null: optional === true && nullable !== true ? { means: nullMeans } : undefined }),
  );
}

/** Marks a field as a name that people read, so that equal names are equal texts and invisible names are empty. */
export function IsName(): PropertyDecorator {
  return Converts({ isName: true });
}

/** Marks a field as a phone number that people type or copy, so that it is validated and stored as its digits. */
export function IsPhoneNumberText(): PropertyDecorator {
  return Converts({ isPhoneNumber: true });
}

/** Marks a field, a list or the keys of a map as ids of existing objects, so that UUIDs are found in either case. */
export function ContainsIds(): PropertyDecorator {
  return Converts({ isId: true });
}

function DocumentedField(options: FieldOptions, schema: ApiPropertyOptions): PropertyDecorator {
  return ApiProperty({
    ...schema,
    description: describe(options),
    example: options.example,
    required: options.optional !== true,
    ...(options.nullable === true ? { nullable: true } : {}),
  } as ApiPropertyOptions);
}

/** Returns the description of a field; says so if `null` clears the field. */
export function describe({ description, nullMeans }: FieldOptions): string | undefined {
  if (nullMeans === undefined) return description;
  return description === undefined ? '`null` clears it' : `${description.replace(/\.$/, '')}. \`null\` clears it`;
}

/** Rejects text with NUL or lone surrogates, which PostgreSQL cannot store. */
function IsStorableText(): PropertyDecorator {
  return ValidateBy({
    name: 'isStorableText',
    validator: {
      validate: (value) => typeof value !== 'string' || (value.isWellFormed() && !value.includes('\u0000')),
      defaultMessage: () => '$property must be well-formed Unicode text without NUL',
    },
  });
}

/** Text of `minLength` (default 0) to `maxLength` (default 2,000) Unicode characters. Other types are rejected. */
export function StringField(
  options: FieldOptions & { minLength?: number; maxLength?: number; pattern?: RegExp } = {},
): PropertyDecorator {
  const { minLength = 0, maxLength = MAX_TEXT_LENGTH, pattern } = options;
  return applyDecorators(
    ValidateIfPresent(options),
    IsString(),
    IsStorableText(),
    ...(minLength > 0 ? [MinLength(minLength)] : []),
    MaxLength(maxLength),
    ...(pattern ? [Matches(pattern)] : []),
    DocumentedField(options, {
      type: String,
      ...(minLength > 0 ? { minLength } : {}),
      maxLength,
      ...(pattern ? { pattern: pattern.source } : {}),
    }),
  );
}

/** Integer from `min` to `max` inclusive; without them, from −(2^53 − 1) to 2^53 − 1. */
export function IntegerField(options: FieldOptions & { min?: number; max?: number } = {}): PropertyDecorator {
  const { min = Number.MIN_SAFE_INTEGER, max = MAX_ACCEPTED_INT64 } = options;
  return applyDecorators(
    ValidateIfPresent(options),
    IsInt(),
    Min(min),
    Max(max),
    DocumentedField(options, {
      type: 'integer',
      format: Math.abs(max) > 2_147_483_647 ? 'int64' : 'int32',
      ...(options.min === undefined ? {} : { minimum: min }),
      ...(options.max === undefined ? {} : { maximum: max }),
    }),
  );
}

/** An {@link IntegerField} in a query string: decimal text, converted before validation. */
export function IntegerQueryField(options: FieldOptions & { min?: number; max?: number } = {}): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value,
    ),
    IntegerField(options),
  );
}

/** Boolean; texts such as `"true"` are rejected. */
export function BooleanField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    ValidateIfPresent(options),
    IsBoolean(),
    DocumentedField({ ...(options.optional ? {} : { example: true }), ...options }, { type: Boolean }),
  );
}

/** A {@link BooleanField} in a query string: `true` or `false`. */
export function BooleanQueryField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value)),
    BooleanField(options),
  );
}

/** One of the numbers or strings of an enumeration object. */
export function EnumField<Value extends string | number>(
  values: Readonly<Record<string, Value>>,
  options: FieldOptions = {},
): PropertyDecorator {
  const allowed = Object.values(values);
  return applyDecorators(
    ValidateIfPresent(options),
    IsIn(allowed),
    DocumentedField(options, { enum: allowed, type: typeof allowed[0] === 'number' ? 'integer' : 'string' }),
  );
}

/** Identifier that the service created: a random UUID as text. */
export function UuidField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    ValidateIfPresent(options),
    ContainsIds(),
    IsUUID(),
    DocumentedField(options, { type: String, format: 'uuid' }),
  );
}

const EXAMPLE_ID = 'f6b3a1de-43a4-4c0c-8f0e-6d9d5a1f8c27';

/**
 * Id of an existing object, by which the service finds the object. Any non-empty text is valid, so that the service
 * responds to a malformed id as to an unknown id.
 */
export function ReferenceField(options: FieldOptions = {}): PropertyDecorator {
  const example = options.optional ? {} : { example: EXAMPLE_ID };
  return applyDecorators(ContainsIds(), StringField({ minLength: 1, maxLength: 128, ...example, ...options }));
}

/** Ids of existing objects, each like a {@link ReferenceField}. */
export function ReferenceListField(
  options: FieldOptions & { minItems?: number; maxItems: number; maxLength?: number },
): PropertyDecorator {
  return applyDecorators(ContainsIds(), StringListField({ maxLength: 128, example: [EXAMPLE_ID], ...options }));
}

/** `nextCursor` of the previous page of a list; an empty text requests the first page, as an omitted field does. */
export function CursorField(): PropertyDecorator {
  return applyDecorators(
    Converts({ isAbsentIfEmpty: true }),
    StringField({ optional: true, maxLength: 512, description: '`nextCursor` of the previous page' }),
  );
}

/** The watch's identifier: a positive int64 of at most 2^53 − 1 (specification 2.2). */
export function DeviceIdField(options: FieldOptions = {}): PropertyDecorator {
  return IntegerField({ min: 1, max: MAX_ACCEPTED_INT64, example: 7_312_904_418_220_331, ...options });
}

/** A {@link DeviceIdField} in a query string. */
export function DeviceIdQueryField(options: FieldOptions = {}): PropertyDecorator {
  return IntegerQueryField({ min: 1, max: MAX_ACCEPTED_INT64, example: 7_312_904_418_220_331, ...options });
}

/**
 * Name of a person, family, device or object that others read; at least one visible character (specification 2.5).
 * Control characters and those that change the direction of the text are rejected. Also for labels and notes of one line,
 * which may be empty with `minLength: 0`.
 */
export function NameField(options: FieldOptions & { minLength?: number; maxLength?: number } = {}): PropertyDecorator {
  return applyDecorators(
    IsName(),
    StringField({ minLength: 1, maxLength: 256, ...options }),
    ValidateBy({
      name: 'isDisplayable',
      validator: {
        validate: (value) => typeof value !== 'string' || isDisplayable(value),
        defaultMessage: () =>
          '$property must not contain control characters or characters that change the direction of the text',
      },
    }),
  );
}

/**
 * Mobile numbers of mainland China. Specification 2.5 writes the pattern as `^1[3-9]\\d{9}$`, where the second backslash
 * only escapes the first.
 */
export const CHINESE_MOBILE_NUMBER = /^1[3-9]\d{9}$/;

/** Mobile number without country calling code, exactly as the pattern of specification 2.5. */
export function PhoneNumberField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({ pattern: CHINESE_MOBILE_NUMBER, maxLength: 11, example: '13812345678', ...options });
}

/** Country calling code with or without `+`; stored with `+` (specification 2.5). */
export function AreaCodeField(options: FieldOptions = {}): PropertyDecorator {
  return StringField({ minLength: 1, maxLength: 16, example: '+86', ...options });
}

/** Time in Unix milliseconds. */
export function UnixMillisecondsField(options: FieldOptions = {}): PropertyDecorator {
  return IntegerField({ min: 0, max: 8_640_000_000_000_000, example: 1_790_000_000_000, ...options });
}

/**
 * Time by the clock of a watch, in Unix milliseconds. A time before 2015 is rejected, because it is in seconds, or the
 * clock is not set.
 */
export function WatchTimeField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    UnixMillisecondsField(options),
    ValidateBy({
      name: 'isWatchTime',
      validator: {
        validate: (value) => typeof value !== 'number' || value >= EARLIEST_WATCH_TIME,
        defaultMessage: () =>
          `$property must be in Unix milliseconds, not seconds, and since 2015${options.optional ? '; omit $property if the clock is not set' : ''}`,
      },
    }),
  );
}

const NESTED_DTO = 'family-watch:nested-dto';

/** Records the class of a nested DTO, for class-transformer and for {@link nestedDtoOf}. */
function Nested(type: () => new () => object): PropertyDecorator {
  return applyDecorators(Type(type), Reflect.metadata(NESTED_DTO, type));
}

/** Returns the class of the DTO that a field contains, or `undefined` if the field contains no nested DTO. */
export function nestedDtoOf(dto: new () => object, field: string): (new () => object) | undefined {
  return (Reflect.getMetadata(NESTED_DTO, dto.prototype as object, field) as (() => new () => object) | undefined)?.();
}

/** A nested object: an instance of a DTO class. */
export function NestedField(type: () => new () => object, options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    ValidateIfPresent(options),
    IsObject(),
    ValidateNested(),
    Nested(type),
    // Swagger resolves a type lazily only if the function is named `type`.
    DocumentedField(options, { type: () => type() }),
  );
}

/** A list of nested objects: instances of one DTO class. */
export function NestedListField(
  type: () => new () => object,
  options: FieldOptions & { minItems?: number; maxItems: number },
): PropertyDecorator {
  const { minItems = 0, maxItems } = options;
  return applyDecorators(
    ValidateIfPresent(options),
    IsArray(),
    ArrayMinSize(minItems),
    ArrayMaxSize(maxItems),
    // Without `IsObject`, `ValidateNested` accepts a nested list as an item.
    IsObject({ each: true }),
    ValidateNested({ each: true }),
    Nested(type),
    DocumentedField(options, { type: () => type(), isArray: true, minItems, maxItems }),
  );
}

/**
 * A list whose items are documented but not validated. The service must validate each item itself; it can then accept
 * the valid items of a list that also contains invalid items.
 */
export function UnvalidatedListField(
  type: () => new () => object,
  options: FieldOptions & { minItems?: number; maxItems: number },
): PropertyDecorator {
  const { minItems = 0, maxItems } = options;
  return applyDecorators(
    ValidateIfPresent(options),
    IsArray(),
    ArrayMinSize(minItems),
    ArrayMaxSize(maxItems),
    DocumentedField(options, { type: () => type(), isArray: true, minItems, maxItems }),
  );
}

/** A list of texts, each of at most `maxLength` characters (default 2,000). */
export function StringListField(
  options: FieldOptions & { minItems?: number; maxItems: number; maxLength?: number },
): PropertyDecorator {
  const { minItems = 0, maxItems, maxLength = MAX_TEXT_LENGTH } = options;
  return applyDecorators(
    ValidateIfPresent(options),
    IsArray(),
    ArrayMinSize(minItems),
    ArrayMaxSize(maxItems),
    IsString({ each: true }),
    MaxLength(maxLength, { each: true }),
    DocumentedField(options, { type: String, isArray: true, minItems, maxItems }),
  );
}

/**
 * Matches names of time zones such as `Asia/Shanghai`. `Temporal` also accepts offsets such as `+08:00`, which are
 * rejected because an offset has no daylight saving time.
 */
const TIME_ZONE_NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;

/** Matches names outside the IANA database that ICU still knows, and other runtimes do not. */
const ICU_TIME_ZONE_PATTERN = /^(SystemV\/.*|US\/Pacific-New)$/i;

/**
 * Returns true for the name of an IANA time zone in which the schedules can be calculated. `Intl` alone also accepts
 * abbreviations such as `IST`, which mean different time zones in different countries.
 */
export function isTimeZone(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 64 || !TIME_ZONE_NAME_PATTERN.test(value)) return false;
  if (ICU_TIME_ZONE_PATTERN.test(value)) return false;
  try {
    // Names are case-insensitive, but the polyfill recognizes the abbreviations that it rejects only in upper case.
    return Boolean(new Temporal.ZonedDateTime(0n, value.toUpperCase()));
  } catch {
    return false;
  }
}

/** Name of an IANA time zone, such as `Asia/Shanghai`. */
export function TimeZoneField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    StringField({
      minLength: 1,
      maxLength: 64,
      description: 'IANA time zone. Abbreviations such as `IST` and `PST` are rejected.',
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
