import { DECORATORS } from '@nestjs/swagger';
import type { PayloadClass } from '@family-watch/domain/messages/dto/payload-classes';

export type JsonSchema = Record<string, unknown>;

/** OpenAPI 3.0 metadata of a property, from its field decorators. */
interface PropertyMetadata extends Record<string, unknown> {
  type?: unknown;
  isArray?: boolean;
  required?: boolean;
  nullable?: boolean;
  enum?: unknown[];
  example?: unknown;
}

/** Generates JSON Schemas of DTO classes from their validation decorators. Nested classes become named schemas. */
export class JsonSchemaCollection {
  readonly namedSchemas: Record<string, JsonSchema> = {};

  /** Returns a reference to the schema of `type`; generates the schema if it does not exist yet. */
  referenceTo(type: PayloadClass): JsonSchema {
    if (!(type.name in this.namedSchemas)) {
      this.namedSchemas[type.name] = {};
      this.namedSchemas[type.name] = this.schemaOf(type);
    }
    return { $ref: `#/components/schemas/${type.name}` };
  }

  private schemaOf(type: PayloadClass): JsonSchema {
    const prototype = type.prototype as object;
    const names = (Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES_ARRAY, prototype) ?? []) as string[];
    const properties = names
      .map((name) => name.slice(1))
      .map((name): [string, PropertyMetadata] => {
        return [name, Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES, prototype, name) as PropertyMetadata];
      });
    return {
      type: 'object',
      properties: Object.fromEntries(properties.map(([name, metadata]) => [name, this.propertyOf(metadata)])),
      required: properties.filter(([, { required }]) => required !== false).map(([name]) => name),
    };
  }

  private propertyOf(metadata: PropertyMetadata): JsonSchema {
    const { type, isArray, required: _, nullable, example, minItems, maxItems, name: __, ...rules } = metadata;
    const isTypeArray = Array.isArray(type);
    const item = this.typeOf(isTypeArray ? (type as unknown[])[0] : type, rules);
    const schema = isArray || isTypeArray ? { type: 'array', items: item, minItems, maxItems } : item;
    const withExample = example === undefined ? schema : { ...schema, examples: [example] };
    return withoutUndefined(nullable ? asNullable(withExample) : withExample);
  }

  private typeOf(type: unknown, rules: JsonSchema): JsonSchema {
    if (type === String) return { type: 'string', ...rules };
    if (type === Boolean) return { type: 'boolean', ...rules };
    if (typeof type === 'string') return { type, ...rules };
    if (typeof type !== 'function') throw new Error('A documented field has no type');
    const isClass = /^class\b/.test(Function.prototype.toString.call(type));
    return this.referenceTo(isClass ? (type as PayloadClass) : (type as () => PayloadClass)());
  }
}

function asNullable(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema['enum']))
    return { ...schema, enum: [...(schema['enum'] as unknown[]), null], type: undefined };
  return typeof schema['type'] === 'string'
    ? { ...schema, type: [schema['type'], 'null'] }
    : { oneOf: [schema, { type: 'null' }] };
}

function withoutUndefined(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}
