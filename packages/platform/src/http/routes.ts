import { RequestMethod } from '@nestjs/common';
import type { INestApplication } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/internal';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { OPERATION_METADATA } from './operation.decorator.js';
import type { OperationFacts } from './operation.decorator.js';

/** A route of the running application, as the guard and the access matrix see it. */
export interface DeclaredRoute extends OperationFacts {
  method: string;
  /** With a leading slash; path parameters as `:name`. */
  path: string;
}

/**
 * Reads every route out of the running application.
 * @throws Error naming each handler that has a route but no `@Operation`: forgetting it stops the start.
 */
export function declaredRoutes(app: INestApplication): DeclaredRoute[] {
  const routes: DeclaredRoute[] = [];
  const undeclared: string[] = [];
  const scanner = new MetadataScanner();
  for (const { metatype } of app.get(DiscoveryService).getControllers()) {
    if (!metatype) continue;
    const prototype = metatype.prototype as Record<string, object>;
    for (const name of scanner.getAllMethodNames(prototype)) {
      const handler = prototype[name] as object;
      const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
      if (method === undefined) continue;
      const operation = Reflect.getMetadata(OPERATION_METADATA, handler) as OperationFacts | undefined;
      if (!operation) undeclared.push(`${metatype.name}.${name}`);
      else
        routes.push(
          ...pathsOf(metatype, handler).map((path) => ({ ...operation, method: RequestMethod[method], path })),
        );
    }
  }
  if (undeclared.length > 0) throw new Error(`These handlers do not say who may call them: ${undeclared.join(', ')}`);
  return routes;
}

function pathsOf(controller: object, handler: object): string[] {
  const prefixes = [Reflect.getMetadata(PATH_METADATA, controller) as string | string[]].flat();
  const paths = [Reflect.getMetadata(PATH_METADATA, handler) as string | string[]].flat();
  return prefixes.flatMap((prefix) =>
    paths.map(
      (path) =>
        `/${[prefix, path]
          .map((part) => part.replace(/^\/+|\/+$/g, ''))
          .filter(Boolean)
          .join('/')}`,
    ),
  );
}
