import type { Type, ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { ServiceError, type ErrorDetail } from '@family-watch/domain/kernel/contracts/service-error';
import { toAsciiDigits } from '@family-watch/domain/kernel/contracts/ascii-digits';
import { normalizeName } from '@family-watch/domain/kernel/contracts/displayable-text';
import { normalizeId } from '@family-watch/domain/kernel/contracts/identifier';
import { nestedDtoOf, requestConversionOf, type RequestConversion } from '@family-watch/domain/kernel/dto/fields';

interface DeclaredField {
  /** The class of a nested DTO; `undefined` for a value without a class. */
  nested: Type<object> | undefined;
  conversion: RequestConversion;
}

type DeclaredFields = ReadonlyMap<string, DeclaredField>;

/**
 * Names that every JavaScript object inherits. A library that reads a member with such a name would read the client's
 * value instead of the inherited one.
 */
const INHERITED_NAMES: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

const declaredFields = new Map<Type<object>, DeclaredFields>();

const MAX_NESTING_DEPTH = 16;
/** Allows a list of 10,000 items and the other fields of its request. */
const MAX_VALUE_MEMBERS = 11_000;
const UNVALIDATED_TYPES: readonly unknown[] = [String, Number, Boolean, Array, Object];

/**
 * Converts the body or query to its DTO. The pipe drops unknown fields, converts no types and reports every violated
 * rule. `null` in an optional field is the same as an omitted field, unless the field declares another meaning.
 */
export class RequestValidationPipe implements PipeTransform {
  async transform(value: unknown, { metatype, type }: ArgumentMetadata): Promise<unknown> {
    if (type === 'custom' || !metatype || UNVALIDATED_TYPES.includes(metatype)) return value;
    return validateAs(metatype as Type<object>, value ?? (type === 'query' ? {} : value));
  }
}

/**
 * Converts a value to a DTO and validates it. Validation is synchronous: no DTO has an asynchronous rule.
 *
 * @throws ServiceError VALIDATION_FAILED with one detail per violated rule, or BODY_TOO_COMPLEX for a value nested
 * deeper than 16 levels or with more than 10,000 members
 */
export function validateAs<Dto extends object>(dto: Type<Dto>, value: unknown): Dto {
  if (!isObject(value)) throw new ServiceError('VALIDATION_FAILED', { details: [NOT_AN_OBJECT] });
  const { instance, errors } = validate(dto, value);
  if (errors.length > 0) {
    throw new ServiceError('VALIDATION_FAILED', { details: errors.flatMap((error) => detailsOf(error)) });
  }
  return instance;
}

/** What counts of a report that is not rejected as a whole, and the violated rules of what does not count. */
export interface PartialValidation<Valid> {
  valid: Valid;
  rejected: ErrorDetail[];
}

/**
 * Like {@link validateAs} for a DTO with optional fields only, but drops the invalid fields instead of throwing. A value
 * that is no object has no fields.
 *
 * @throws ServiceError BODY_TOO_COMPLEX
 */
export function validateFields<Dto extends object>(dto: Type<Dto>, value: unknown): PartialValidation<Dto> {
  if (!isObject(value)) return { valid: new dto(), rejected: [NOT_AN_OBJECT] };
  const { instance, errors } = validate(dto, value);
  const invalid = new Set(errors.map(({ property }) => property));
  const validFields = Object.entries(instance).filter(([name]) => !invalid.has(name));
  return {
    valid: Object.assign(new dto(), Object.fromEntries(validFields)),
    rejected: errors.flatMap((error) => detailsOf(error)),
  };
}

/**
 * Validates each item of the list `field` (an `UnvalidatedListField`) like {@link validateAs}, but drops the invalid
 * items instead of throwing.
 */
export function validateItems<Dto extends object>(
  dto: Type<Dto>,
  field: string,
  items: readonly unknown[],
): PartialValidation<Dto[]> {
  const valid: Dto[] = [];
  const rejected = items.flatMap((item, index) => {
    const path = `${field}.${index}`;
    if (!isObject(item)) return [{ ...NOT_AN_OBJECT, field: path, message: `${path} must be a JSON object` }];
    const { instance, errors } = validate(dto, item);
    if (errors.length === 0) valid.push(instance);
    return errors.flatMap((error) => detailsOf(error, path));
  });
  return { valid, rejected };
}

const NOT_AN_OBJECT: ErrorDetail = { field: '', rule: 'isObject', message: 'the body must be a JSON object' };

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function validate<Dto extends object>(dto: Type<Dto>, value: object): { instance: Dto; errors: ValidationError[] } {
  assertBounded(value);
  const fields = pickDeclaredFields(dto, value);
  const instance = plainToInstance(dto, fields, { enableImplicitConversion: false, exposeDefaultValues: true });
  return { instance, errors: validateSync(instance, { forbidUnknownValues: false }) };
}

function assertBounded(root: object): void {
  let members = 0;
  const walk = (node: unknown, depth: number): void => {
    if (typeof node !== 'object' || node === null) return;
    if (depth > MAX_NESTING_DEPTH) throw new ServiceError('BODY_TOO_COMPLEX');
    for (const child of Object.values(node)) {
      members += 1;
      if (members > MAX_VALUE_MEMBERS) throw new ServiceError('BODY_TOO_COMPLEX');
      walk(child, depth + 1);
    }
  };
  walk(root, 1);
}

function detailsOf(error: ValidationError, parent = ''): ErrorDetail[] {
  const field = parent ? `${parent}.${error.property}` : error.property;
  const own = Object.entries(error.constraints ?? {}).map(([rule, message]) => ({ field, rule, message }));
  return [...own, ...(error.children ?? []).flatMap((child) => detailsOf(child, field))];
}

/**
 * Returns a copy of `value` that contains only the fields that `dto` declares, at every depth. Values without a class
 * keep all members except those whose name every object inherits (`constructor`, `__proto__`, `toString`).
 */
function pickDeclaredFields(dto: Type<object>, value: object): object {
  const picked: Record<string, unknown> = {};
  for (const [name, { nested, conversion }] of fieldsOf(dto)) {
    if (!Object.hasOwn(value, name)) continue;
    const converted = convert((value as Record<string, unknown>)[name], conversion);
    if (converted !== undefined) picked[name] = copyOf(converted, nested);
  }
  return picked;
}

/** Returns the value of a field after its {@link RequestConversion}; `undefined` if the field counts as omitted. */
function convert(value: unknown, conversion: RequestConversion): unknown {
  const { null: ofNull, isAbsentIfEmpty, isId, isName, isPhoneNumber } = conversion;
  if (value === null && ofNull) return ofNull.means;
  if (value === '' && isAbsentIfEmpty) return undefined;
  if (isName && typeof value === 'string') return normalizeName(value);
  if (isPhoneNumber && typeof value === 'string') return toAsciiDigits(value);
  return isId ? withNormalizedIds(value) : value;
}

/** Converts the UUIDs of an id, of a list of ids, and of the names of an object's members to lower case. */
function withNormalizedIds(value: unknown): unknown {
  if (typeof value === 'string') return normalizeId(value);
  if (Array.isArray(value)) return value.map((id: unknown) => (typeof id === 'string' ? normalizeId(id) : id));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([id, member]) => [normalizeId(id), member]));
}

function copyOf(value: unknown, dto: Type<object> | undefined): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => copyOf(item, dto));
  if (dto) return pickDeclaredFields(dto, value);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      INHERITED_NAMES.has(name) ? [] : [[name, copyOf(member, undefined)]],
    ),
  );
}

function fieldsOf(dto: Type<object>): DeclaredFields {
  let fields = declaredFields.get(dto);
  if (!fields) {
    const metadata = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    fields = new Map(
      metadata.map(({ propertyName: name }) => [
        name,
        { nested: nestedDtoOf(dto, name), conversion: requestConversionOf(dto.prototype as object, name) },
      ]),
    );
    declaredFields.set(dto, fields);
  }
  return fields;
}
