import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import { nestedDtoOf } from '@family-watch/domain/kernel/dto/fields';

/** The declared fields of a DTO: the class of a nested DTO, or `undefined` for a value without a class. */
type DeclaredFields = ReadonlyMap<string, Type<object> | undefined>;

/**
 * Names that every JavaScript object inherits. A library that reads such a member of an object would read the client's
 * value instead of the inherited one.
 */
const INHERITED_NAMES: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

const declaredFields = new Map<Type<object>, DeclaredFields>();

/**
 * Returns a copy of `value` that contains only the fields that `dto` declares, at every depth. Values without a class
 * keep all members except those whose name every object inherits (`constructor`, `__proto__`, `toString`).
 */
export function pickDeclaredFields(dto: Type<object>, value: object): object {
  const picked: Record<string, unknown> = {};
  for (const [name, nested] of fieldsOf(dto)) {
    if (Object.hasOwn(value, name)) picked[name] = copyOf((value as Record<string, unknown>)[name], nested);
  }
  return picked;
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
    fields = new Map(metadata.map(({ propertyName }) => [propertyName, nestedDtoOf(dto, propertyName)]));
    declaredFields.set(dto, fields);
  }
  return fields;
}
