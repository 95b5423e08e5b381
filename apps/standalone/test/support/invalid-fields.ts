import { resolveSchema, type Schema, type Schemas } from '@family-watch/testing/documents/schema';

/** Texts that Postgres cannot store. Lists of texts accept them, because the service only compares their items. */
const UNSTORABLE_TEXTS: readonly string[] = ['a\u0000b', '\ud800'];

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema & { example?: string | number; enum?: string[] };
}

interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema; example?: object }> };
  responses: Record<string, { description: string }>;
  'x-family-watch': { access: 'public' | readonly string[] | { operatorRoles: readonly string[] } };
}

export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Schemas };
}

type Ids = Readonly<Record<string, string | number>>;

/** An operation without path parameters. */
export interface DocumentedOperation {
  id: string;
  method: string;
  path: string;
  callers: 'public' | 'operators' | readonly string[];
  /** Reasons of its errors. */
  errors: readonly string[];
  query: readonly Parameter[];
  body: { schema: Schema; example?: object } | undefined;
}

/** Returns the operations without path parameters. */
export function operationsOf({ paths }: OpenApiDocument): DocumentedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(
      ([method, { operationId, parameters = [], requestBody, responses, ...operation }]) => {
        if (path.includes('{')) return [];
        const { access } = operation['x-family-watch'];
        return {
          id: operationId,
          method: method.toUpperCase(),
          path,
          callers: typeof access === 'object' && 'operatorRoles' in access ? ('operators' as const) : access,
          errors: Object.values(responses).flatMap(({ description }) => description.split(', ')),
          query: parameters.filter((parameter) => parameter.in === 'query'),
          body: requestBody?.content['application/json'],
        };
      },
    ),
  );
}

/** Returns a body that follows the document; an empty one for an operation without fields. */
export function validBody(document: OpenApiDocument, { body }: DocumentedOperation): object {
  return body ? (body.example ?? (validValue(document, body.schema) as object)) : {};
}

/** Returns the required query parameters: with these ids, if they have such names, otherwise with ids of nothing. */
export function validQuery({ query }: DocumentedOperation, ids: Ids): Record<string, string> {
  const required = query.filter((parameter) => parameter.required);
  return Object.fromEntries(
    required.map(({ name, schema }) => [name, String(ids[name] ?? schema.example ?? schema.enum?.[0] ?? 1)]),
  );
}

/** Returns the name of a field, such as `points.0.latitude`, with a body whose only violation is in this field, for each rule. */
export function invalidValues(
  document: OpenApiDocument,
  operation: DocumentedOperation,
): [field: string, body: object][] {
  const schema = resolveSchema(document.components.schemas, operation.body?.schema ?? {});
  return invalidMembers(document, schema, validBody(document, operation), '');
}

/** Returns the name of a query parameter and a query in which only this parameter is invalid, for each rule. */
export function invalidQueries(operation: DocumentedOperation, ids: Ids): [name: string, query: URLSearchParams][] {
  const valid = validQuery(operation, ids);
  const isFound = Object.keys(valid).every((name) => name in ids);
  return operation.query.flatMap(({ name, required, schema }) => {
    const { [name]: current = '1', ...others } = valid;
    const isNumber = schema.type === 'integer';
    const values = [
      ...(isNumber
        ? ['one', '1.5', `${Number.MAX_SAFE_INTEGER}0`]
        : invalidTexts(schema).filter((text) => text.isWellFormed())),
      ...(schema.minimum === undefined ? [] : [String(schema.minimum - 1)]),
      ...(schema.maximum === undefined ? [] : [String(schema.maximum + 1)]),
      ...(schema.type === 'boolean' ? ['yes'] : []),
      // An operation reads the cursor after it has found what it lists.
      ...(name === 'cursor' && isFound ? ['nonsense'] : []),
    ].map((value) => [value]);
    const queries = [...values, [current, current], ...(required ? [[]] : [])].map((repeated) => {
      const query = new URLSearchParams(others);
      for (const value of repeated) query.append(name, value);
      return query;
    });
    return queries.map((query): [string, URLSearchParams] => [name, query]);
  });
}

function validValue(document: OpenApiDocument, unresolved: Schema): unknown {
  const schema = resolveSchema(document.components.schemas, unresolved);
  const { type, example, properties = {}, required = [], items = {}, minItems = 1, minLength = 1 } = schema;
  if (example !== undefined) return example;
  if (schema.enum) return schema.enum[0];
  if (type === 'object')
    return Object.fromEntries(required.map((name) => [name, validValue(document, properties[name] ?? {})]));
  if (type === 'array') return Array.from({ length: minItems }, () => validValue(document, items));
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  return schema.format === 'date' ? '2026-01-02' : 'x'.repeat(minLength);
}

/** Returns `valid` with each invalid value of each property, and the path of the property. */
function invalidMembers(
  document: OpenApiDocument,
  { properties = {}, required = [] }: Schema,
  valid: object,
  parent: string,
): [string, object][] {
  return Object.entries(properties).flatMap(([name, property]) =>
    invalidFields(document, property, parent + name, required.includes(name)).map(
      ([field, value]): [string, object] => [field, { ...valid, [name]: value }],
    ),
  );
}

function invalidFields(
  document: OpenApiDocument,
  unresolved: Schema,
  field: string,
  isRequired: boolean,
): [field: string, value: unknown][] {
  const schema = resolveSchema(document.components.schemas, unresolved);
  const { type, items = {}, minItems, maxItems, minimum, maximum } = schema;
  const missing = isRequired ? [undefined, ...(schema.nullable ? [] : [null])] : [];
  const all = (...values: unknown[]): [string, unknown][] => [...missing, ...values].map((value) => [field, value]);
  switch (type) {
    case 'object': {
      const valid = validValue(document, schema) as object;
      return [...all('x', 7, [], true), ...invalidMembers(document, schema, valid, `${field}.`)];
    }
    case 'array': {
      const valid = validValue(document, schema) as unknown[];
      const below = invalidFields(document, items, `${field}.0`, true).filter(
        ([, value]) => value !== undefined && !UNSTORABLE_TEXTS.includes(value as string),
      );
      return [
        ...all(
          ...['x', 7, {}],
          ...(minItems ? [[]] : []),
          ...(maxItems === undefined ? [] : [Array(maxItems + 1).fill(valid[0])]),
          ...(schema.uniqueItems ? [[valid[0], valid[0]]] : []),
        ),
        ...below.map(([name, value]): [string, unknown] => [name, [value, ...valid.slice(1)]]),
      ];
    }
    case 'boolean':
      return all('true', 1, [true], {});
    case 'integer':
    case 'number':
      return all(
        ...['7', '1e400', true, [7], {}],
        ...(type === 'integer' ? [1.5] : []),
        ...(schema.enum ? [999] : []),
        ...(minimum === undefined ? [] : [minimum - 1]),
        ...(maximum === undefined ? [] : [maximum + 1]),
      );
    default:
      return all(7, true, ['x'], {}, ...invalidTexts(schema));
  }
}

function invalidTexts({ minLength, maxLength, pattern, format, enum: values }: Schema): string[] {
  return [
    ...(minLength ? [''] : []),
    ...(maxLength === undefined ? [] : ['1'.repeat(maxLength + 1)]),
    ...UNSTORABLE_TEXTS,
    ...(pattern === undefined ? [] : ['\n']),
    ...(format === 'date' ? ['2026-02-30', 'today'] : []),
    ...(values ? ['constructor'] : []),
  ];
}
