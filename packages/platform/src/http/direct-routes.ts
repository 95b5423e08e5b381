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
import { routeHandlers } from './routes.js';
import type { RouteHandler } from './routes.js';

/** What the framework would do before the method or after it. */
const PASSED_BY = [GUARDS_METADATA, PIPES_METADATA, INTERCEPTORS_METADATA, EXCEPTION_FILTERS_METADATA];
/** `@Req()` and `@Res()` in this order, as the framework notes them: kind of parameter and place. */
const REQUEST_AND_REPLY = '0:0,1:1';

type DirectMethod = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Lets requests for direct operations go from the router straight to their method. The framework still declares their
 * routes, and so the documents and the access matrix have them; only the handler is another. To be called before the
 * routes are made.
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
          // Nobody answers what the method had taken over and not begun.
          if (reply.sent && !reply.raw.headersSent) reply.raw.destroy();
        }
      };
    });
}

/** Bound to their controllers, by operation id. */
function directMethodsOf(app: NestFastifyApplication): Map<string, DirectMethod> {
  const methods = new Map<string, DirectMethod>();
  for (const route of routeHandlers(app)) {
    const { instance, handler, operation } = route;
    if (!operation?.direct) continue;
    assertLean(operation, route);
    if (methods.has(operation.id)) throw new Error(`Two operations have the id ${operation.id}`);
    methods.set(operation.id, (handler as DirectMethod).bind(instance));
  }
  return methods;
}

/** @throws Error for what would silently not happen: it stops the start */
function assertLean({ id, enveloped }: OperationMetadata, { controller, name, handler }: RouteHandler): void {
  const isDecorated = PASSED_BY.some((key) => [handler, controller].some((target) => Reflect.hasMetadata(key, target)));
  const parameters = Object.keys((Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as object);
  const isPlain = parameters.toSorted().join() === REQUEST_AND_REPLY;
  if (!isDecorated && isPlain && !enveloped) return;
  throw new Error(`${id} is direct: it takes the request and the reply, has no envelope, and nothing stands before it`);
}
