import { RequestMethod, type INestApplication, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/internal';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import createRouter, { type HTTPMethod } from 'find-my-way';
import { SURFACE_PREFIXES } from '@family-watch/domain/kernel/contracts/surface';
import { OPERATION_METADATA, operatorAccessOf, type OperationMetadata } from './operation.decorator.js';

/** Path prefix of the operations of operators. */
const OPERATOR_PREFIX = `${SURFACE_PREFIXES.plain}operator/`;

/** A route of the application with its access metadata. */
export interface DeclaredRoute extends OperationMetadata {
  method: string;
  /** Path with a leading slash; path parameters are written as `:name`. */
  path: string;
}

/**
 * Returns every route of the application.
 *
 * @throws Error naming each handler that has a route but no `@Operation`, or that lets persons or watches call a path of
 * operators or the other way round; the error prevents the start
 */
export function declaredRoutes(app: INestApplication): DeclaredRoute[] {
  const routes: DeclaredRoute[] = [];
  const undeclared: string[] = [];
  for (const { controller, name, handler, method, operation } of routeHandlers(app)) {
    if (!operation) undeclared.push(`${controller.name}.${name}`);
    else
      routes.push(
        ...pathsOf(controller, handler).map((path) => ({ ...operation, method: RequestMethod[method], path })),
      );
  }
  if (undeclared.length > 0)
    throw new Error(`These handlers have a route but no @Operation(): ${undeclared.join(', ')}`);
  const misplaced = routes.filter(
    ({ path, access }) =>
      access !== 'public' && path.startsWith(OPERATOR_PREFIX) !== (operatorAccessOf(access) !== undefined),
  );
  if (misplaced.length > 0)
    throw new Error(`Only operators call paths under ${OPERATOR_PREFIX}: ${misplaced.map(({ id }) => id).join(', ')}`);
  return routes;
}

/** A controller method with a route. */
export interface RouteHandler {
  controller: Type<unknown>;
  /** The controller instance. */
  instance: object;
  name: string;
  handler: object;
  method: RequestMethod;
  /** `undefined` if the method has no `@Operation`. */
  operation: OperationMetadata | undefined;
}

/** Iterates over all controller methods with a route. */
export function* routeHandlers(app: INestApplication): Generator<RouteHandler> {
  const scanner = new MetadataScanner();
  for (const { metatype, instance } of app.get(DiscoveryService).getControllers()) {
    if (!metatype) continue;
    const controller = metatype as Type<unknown>;
    const prototype = controller.prototype as Record<string, object>;
    for (const name of scanner.getAllMethodNames(prototype)) {
      const handler = prototype[name] as object;
      const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
      if (method === undefined) continue;
      const operation = Reflect.getMetadata(OPERATION_METADATA, handler) as OperationMetadata | undefined;
      yield { controller, instance: instance as object, name, handler, method, operation };
    }
  }
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

/** Finds the HTTP methods that a path supports. Must be created before the routes are registered. */
export class AllowedMethods {
  private readonly router = createRouter({ caseSensitive: true, maxParamLength: 256 });
  private readonly methods = new Set<HTTPMethod>();

  constructor(fastify: FastifyInstance) {
    fastify.addHook('onRoute', ({ method, url }) => {
      for (const httpMethod of [method].flat() as HTTPMethod[]) {
        this.methods.add(httpMethod);
        this.router.on(httpMethod, url, () => undefined);
      }
    });
  }

  /** Returns the methods that the path of `url` supports; empty if no route has this path. */
  of(url: string): string[] {
    const [path = ''] = url.split('?', 1);
    return [...this.methods].filter((method) => this.hasRoute(method, path)).sort();
  }

  /** The router also finds routes for an empty path parameter, which Fastify rejects. */
  private hasRoute(method: HTTPMethod, path: string): boolean {
    const route = this.router.find(method, path);
    return route !== null && !Object.values(route.params).includes('');
  }
}
