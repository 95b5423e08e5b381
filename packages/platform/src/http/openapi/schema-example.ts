/** The part of a schema of OpenAPI 3.0 from which an example can be made. */
interface Schema {
  $ref?: string;
  type?: string;
  example?: unknown;
  default?: unknown;
  enum?: readonly unknown[];
  allOf?: readonly Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: readonly string[];
}

/** Beginning of a reference to a schema of the document. */
export const SCHEMA_PREFIX = '#/components/schemas/';

/**
 * Returns an example of a schema, made from the examples of its fields: the required fields, and the optional fields
 * that have an example of their own, or all fields if that would be none. Undefined if a required field has neither an
 * example, an enumeration nor a default.
 */
export function exampleOfSchema(schema: object, schemas: Readonly<Record<string, object>>): unknown {
  const {
    $ref,
    example,
    enum: values,
    allOf,
    items,
    properties,
    required = [],
    type,
    default: preset,
  } = schema as Schema;
  if (example !== undefined) return example;
  if ($ref !== undefined) return exampleOfSchema(schemas[$ref.slice(SCHEMA_PREFIX.length)] ?? {}, schemas);
  if (allOf) return exampleOfSchema(allOf[0] ?? {}, schemas);
  if (preset !== undefined) return preset;
  if (values) return values[0];
  if (type === 'array') {
    const item = exampleOfSchema(items ?? {}, schemas);
    return item === undefined ? undefined : [item];
  }
  if (!properties) return undefined;
  const isShown = ([name, field]: [string, Schema]): boolean => required.includes(name) || field.example !== undefined;
  const shown = Object.entries(properties).filter(isShown);
  const fields = (shown.length > 0 ? shown : Object.entries(properties)).map(([name, field]): [string, unknown] => [
    name,
    exampleOfSchema(field, schemas),
  ]);
  const isIncomplete = fields.some(([name, value]) => value === undefined && required.includes(name));
  return isIncomplete ? undefined : Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}
