import type { components } from '../generated/openapi.js';

/** A schema of the OpenAPI document by name: `Schema<'ChildDto'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];
