import {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  PIPES_METADATA,
  ROUTE_ARGS_METADATA,
} from '@nestjs/common/internal';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccessGuard } from './access.guard.js';
import type { ErrorFilter } from './error.filter.js';
import type { OperationMetadata } from './operation.decorator.js';
import { routeHandlers, type RouteHandler } from './routes.js';

/** Metadata keys of the framework features that a direct route bypasses. */
const BYPASSED_METADATA = [GUARDS_METADATA, PIPES_METADATA, INTERCEPTORS_METADATA, EXCEPTION_FILTERS_METADATA];
/** Metadata keys of a method with the parameters `@Req()` and `@Res()`; a key consists of parameter type and index. */
const REQUEST_AND_REPLY = '0:0,1:1';

type DirectMethod = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Routes requests of direct operations from the router directly to the controller method. The framework still declares
 * direct routes, so that they appear in the API documents and in the access matrix; only the handler is replaced.
 * `installDirectRoutes` must be called before the routes are registered.
 */
export function installDirectRoutes(
  app: NestFastifyApplication,
  { guard, filter }: { guard: AccessGuard; filter: ErrorFilter },
): void {
  const methods = directMethodsOf(app);
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRoute', (route) => {
      const { operation } = (route.config ?? {}) as { operation?: OperationMetadata };
      const method = operation?.direct && methods.get(operation.id);
      if (!operation || !method) return;
      route.handler = async (request, reply) => {
        try {
          await guard.authorize(operation, request, reply);
          await method(request, reply);
        } catch (error) {
          await filter.respond(error, request, reply);
          // No other code would respond after the method has hijacked the reply and sent nothing.
          if (reply.sent && !reply.raw.headersSent) reply.raw.destroy();
        }
      };
    });
}

/** Returns the methods of direct operations by operation id, bound to their controllers. */
function directMethodsOf(app: NestFastifyApplication): Map<string, DirectMethod> {
  const methods = new Map<string, DirectMethod>();
  for (const route of routeHandlers(app)) {
    const { instance, handler, operation } = route;
    if (!operation?.direct) continue;
    assertDirect(operation, route);
    if (methods.has(operation.id)) throw new Error(`Two operations have the id ${operation.id}`);
    methods.set(operation.id, (handler as DirectMethod).bind(instance));
  }
  return methods;
}

/** @throws Error if the route uses framework features that a direct route bypasses; the error prevents the start */
function assertDirect({ id, hasEnvelope }: OperationMetadata, { controller, name, handler }: RouteHandler): void {
  const isDecorated = BYPASSED_METADATA.some((key) =>
    [handler, controller].some((target) => Reflect.hasMetadata(key, target)),
  );
  const parameters = Object.keys((Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as object);
  const isPlain = parameters.toSorted().join() === REQUEST_AND_REPLY;
  if (!isDecorated && isPlain && !hasEnvelope) return;
  throw new Error(
    `${id} is direct: its method must take the request and the reply, have no envelope and use no guards, pipes, interceptors or filters`,
  );
}
