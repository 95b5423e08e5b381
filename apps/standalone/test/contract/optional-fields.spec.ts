import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { INestApplication, Type } from '@nestjs/common';
import { DECORATORS, type OpenAPIObject } from '@nestjs/swagger';
import type { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { nestedDtoOf } from '@family-watch/domain/kernel/dto/fields';
import { PAYLOAD_CLASSES } from '@family-watch/domain/messages/dto/payload-classes';
import { validateAs } from '@family-watch/platform/http/request-validation.pipe';
import { routeHandlers } from '@family-watch/platform/http/routes';
import { openApiDocument } from '@family-watch/platform/http/openapi/open-api-document';
import { buildOfflineApp } from '../../src/documents/build-offline-app.js';

/** The classes of all requests and client events: those with documented fields, and the classes of their fields. */
function requestClasses(app: INestApplication): Set<Type<object>> {
  const classes = new Set<Type<object>>();
  const add = (type: unknown): void => {
    if (typeof type !== 'function' || classes.has(type as Type<object>)) return;
    const fields = fieldsOf(type as Type<object>);
    if (fields.length > 0) classes.add(type as Type<object>);
    for (const field of fields) add(nestedDtoOf(type as Type<object>, field));
  };
  for (const { controller, name } of routeHandlers(app)) {
    const parameters = Reflect.getMetadata('design:paramtypes', controller.prototype as object, name) as unknown[];
    parameters.forEach(add);
  }
  for (const { inbound } of Object.values(PAYLOAD_CLASSES)) add(inbound);
  return classes;
}

function fieldsOf({ prototype }: Type<object>): string[] {
  const names = Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES_ARRAY, (prototype ?? {}) as object) as
    | string[]
    | undefined;
  return (names ?? []).map((name) => name.slice(1));
}

function isOptional({ prototype }: Type<object>, field: string): boolean {
  const { required } = Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES, prototype as object, field) as {
    required?: boolean;
  };
  return required === false;
}

/** Returns the fields with a violated rule. */
function invalidFields(type: Type<object>, value: object): string[] {
  try {
    validateAs(type, value);
    return [];
  } catch (error) {
    return ((error as ServiceError).details ?? []).map(({ field }) => field);
  }
}

describe('an optional field of a request', () => {
  let app: INestApplication;
  let document: OpenAPIObject;

  beforeAll(async () => {
    app = await buildOfflineApp();
    document = openApiDocument(app);
  });
  afterAll(() => app.close());

  test('accepts null in every operation and client event', () => {
    const classes = [...requestClasses(app)];
    expect(classes.length).toBeGreaterThan(100);
    const rejecting = classes.flatMap((type) =>
      fieldsOf(type)
        .filter((field) => isOptional(type, field) && invalidFields(type, { [field]: null }).includes(field))
        .map((field) => `${type.name}.${field}`),
    );
    expect(rejecting).toEqual([]);
  });

  test('is documented as nullable, and never in a response unless the response contains null', () => {
    const schemas = document.components?.schemas as Record<
      string,
      { properties: Record<string, { nullable?: boolean; type?: string }> }
    >;
    expect(schemas['UpdateContactDto']?.properties).toMatchObject({
      sosOrder: { nullable: true, type: 'integer' },
      deviceId: expect.not.objectContaining({ nullable: true }),
    });
    expect(schemas['UnbindRequestDto']?.properties['stepUp']).toMatchObject({ nullable: true, type: 'object' });
    expect(schemas['ChildDto']?.properties['avatar']).not.toHaveProperty('nullable');
  });
});
