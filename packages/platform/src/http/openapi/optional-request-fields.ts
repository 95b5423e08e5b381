import type { OpenAPIObject } from '@nestjs/swagger';
import { SCHEMA_PREFIX } from './schema-example.js';

interface Schema {
  $ref?: string;
  type?: string;
  nullable?: boolean;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  allOf?: Schema[];
}

/**
 * Documents that `null` is allowed in the optional fields of requests, in the schemas that only request bodies use. A
 * response never contains `null` in a field that is only optional.
 */
export function allowNullInOptionalRequestFields({ paths, components }: OpenAPIObject): void {
  const schemas = (components?.schemas ?? {}) as Record<string, Schema>;
  const operations = Object.values(paths).flatMap((item) => Object.values(item as object) as OperationSchemas[]);
  const ofResponses = namesReferredTo(
    operations.map(({ responses }) => responses),
    schemas,
  );
  const ofRequests = namesReferredTo(
    operations.map(({ requestBody }) => requestBody),
    schemas,
  );
  for (const name of ofRequests) {
    const { properties = {}, required = [] } = schemas[name] ?? {};
    if (ofResponses.has(name)) continue;
    for (const [field, schema] of Object.entries(properties))
      if (!required.includes(field)) properties[field] = asNullable(schema, schemas);
  }
}

interface OperationSchemas {
  requestBody?: unknown;
  responses?: unknown;
}

/** Returns the names of the schemas to which `root` refers, directly or through other schemas. */
function namesReferredTo(root: unknown, schemas: Readonly<Record<string, Schema>>): Set<string> {
  const names = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { $ref } = node as Schema;
    const name = $ref?.startsWith(SCHEMA_PREFIX) ? $ref.slice(SCHEMA_PREFIX.length) : undefined;
    if (name !== undefined && !names.has(name)) {
      names.add(name);
      visit(schemas[name]);
    }
    for (const member of Object.values(node)) visit(member);
  };
  visit(root);
  return names;
}

/** In OpenAPI 3.0, `nullable` has no effect without a type beside it, and nothing may stand beside `$ref`. */
function asNullable({ $ref, ...schema }: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  const reference = $ref ?? schema.allOf?.[0]?.$ref;
  const type = schema.type ?? schemas[reference?.slice(SCHEMA_PREFIX.length) ?? '']?.type;
  return {
    ...schema,
    ...($ref === undefined ? {} : { allOf: [{ $ref }] }),
    ...(type === undefined ? {} : { type }),
    nullable: true,
  };
}
