import { resolveSchema, type Schema, type Schemas } from '@family-watch/testing/documents/schema';
import type { RandomChoice } from './random-choice.js';

const MAX_DEPTH = 6;
const MAX_ITEMS = 3;
/** Probability that an optional property is present. */
const OPTIONAL_PROBABILITY = 0.6;
const EXAMPLE_PROBABILITY = 0.92;
const DEFAULT_MAX_INTEGER = 1_000;

/** Creates values that follow a schema, with ids of existing resources. */
export class ValidValues {
  /** @param chooseId - returns the id of a resource that is suitable for a field of this name */
  constructor(
    private readonly schemas: Schemas,
    private readonly chooseId: (name: string) => string | number | undefined,
  ) {}

  create(schema: Schema, name: string, random: RandomChoice, depth = 0): unknown {
    const resolved = resolveSchema(this.schemas, schema);
    const id = this.chooseId(name);
    if (id !== undefined && resolved.type !== 'array' && resolved.type !== 'object') return id;
    if (resolved.enum) return random.pick(resolved.enum);
    switch (resolved.type) {
      case 'object':
        return this.createObject(resolved, random, depth);
      case 'array':
        return this.createList(resolved, name, random, depth);
      case 'boolean':
        return random.chance(0.5);
      case 'integer':
      case 'number':
        return createNumber(resolved, name, random);
      default:
        return createText(resolved, name, random);
    }
  }

  private createObject(schema: Schema, random: RandomChoice, depth: number): object {
    const { properties = {}, required = [], additionalProperties } = schema;
    const entries = Object.entries(properties)
      .filter(([name]) => required.includes(name) || (depth < MAX_DEPTH && isChosen(name, random)))
      .map(([name, property]) => [name, this.create(property, name, random, depth + 1)]);
    if (typeof additionalProperties === 'object')
      entries.push([String(this.chooseId('cid') ?? 'x'), this.create(additionalProperties, '', random, depth + 1)]);
    return Object.fromEntries(entries) as object;
  }

  private createList({ items = {}, minItems = 0 }: Schema, name: string, random: RandomChoice, depth: number) {
    const length = depth > MAX_DEPTH ? minItems : random.integer(minItems, Math.max(minItems, MAX_ITEMS));
    // A list of ids is named `dids` or `contentIDList`.
    const itemName = name.replace(/List$|s$/, '');
    return Array.from({ length }, () => this.create(items, itemName, random, depth + 1));
  }
}

/** A cursor is valid only if it was a `nextCursor`, so that most requests have none. */
function isChosen(name: string, random: RandomChoice): boolean {
  return random.chance(name === 'cursor' ? 0.05 : OPTIONAL_PROBABILITY);
}

function createNumber({ example, minimum, maximum, type }: Schema, name: string, random: RandomChoice): unknown {
  if (/time$|at$|^from$|^to$/i.test(name)) return Date.now() - random.integer(0, 60_000);
  if (example !== undefined && random.chance(EXAMPLE_PROBABILITY)) return example;
  const low = minimum ?? 0;
  const high = Math.min(maximum ?? low + DEFAULT_MAX_INTEGER, Number.MAX_SAFE_INTEGER);
  return random.integer(low, high) + (type === 'number' && random.chance(0.5) ? 0.5 : 0);
}

function createText({ example, minLength = 0, maxLength = 32 }: Schema, name: string, random: RandomChoice): unknown {
  if (example !== undefined && random.chance(EXAMPLE_PROBABILITY)) return example;
  if (random.chance(0.5)) return /name$/i.test(name) ? 'picture.jpg' : 'text'.slice(0, Math.max(minLength, 1));
  const length = random.chance(0.2) ? maxLength : random.integer(minLength, Math.min(maxLength, minLength + 12));
  return 'aé1中😀 Z'
    .repeat(Math.ceil(length / 8))
    .slice(0, Math.min(length, 4_096))
    .toWellFormed();
}
