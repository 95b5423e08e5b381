import type { components } from '../generated/openapi.js';

/** A body of the OpenAPI document by its name: `Schema<'ChildDto'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];
