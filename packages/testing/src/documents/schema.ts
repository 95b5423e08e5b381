/** A schema of the API documents: the part of JSON Schema that they use. */
export interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  allOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  example?: unknown;
  enum?: unknown[];
  nullable?: boolean;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
}

/** The named schemas of a document. */
export type Schemas = Readonly<Record<string, Schema>>;

/** Returns the schema without references and combinations; of alternatives, the first. */
export function resolveSchema(schemas: Schemas, schema: Schema): Schema {
  if (schema.$ref !== undefined) return resolveSchema(schemas, schemas[schema.$ref.replace(/^.*\//, '')] ?? {});
  if (schema.oneOf?.[0]) return resolveSchema(schemas, schema.oneOf[0]);
  if (!schema.allOf) return schema;
  const parts = schema.allOf.map((part) => resolveSchema(schemas, part));
  return Object.assign({}, ...parts, { ...schema, allOf: undefined }) as Schema;
}
