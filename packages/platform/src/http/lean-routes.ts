import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccessGuard } from './access.guard.js';
import type { ErrorFilter } from './error.filter.js';
import { OPERATION_METADATA } from './operation.decorator.js';
import type { OperationFacts } from './operation.decorator.js';

type LeanMethod = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Lets requests for lean operations go from the router straight to their method. The framework still declares their
 * routes, and so the documents and the access matrix have them; only the handler is another. To be called before the
 * routes are made.
 */
export function shortenLeanRoutes(
  app: NestFastifyApplication,
  { guard, filter }: { guard: AccessGuard; filter: ErrorFilter },
): void {
  const methods = leanMethodsOf(app);
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRoute', (route) => {
      const { operation } = (route.config ?? {}) as { operation?: OperationFacts };
      const method = operation?.lean && methods.get(operation.id);
      if (!operation || !method) return;
      route.handler = async (request, reply) => {
        try {
          await guard.admit(operation, request, reply);
          await method(request, reply);
        } catch (error) {
          await filter.answer(error, request, reply);
        }
      };
    });
}

/** Bound to their controllers, by operation id. */
function leanMethodsOf(app: NestFastifyApplication): Map<string, LeanMethod> {
  const methods = new Map<string, LeanMethod>();
  const scanner = new MetadataScanner();
  for (const { instance } of app.get(DiscoveryService).getControllers()) {
    const controller = instance as Record<string, LeanMethod>;
    for (const name of scanner.getAllMethodNames(Object.getPrototypeOf(controller) as object)) {
      const method = controller[name] as LeanMethod;
      const operation = Reflect.getMetadata(OPERATION_METADATA, method) as OperationFacts | undefined;
      if (operation?.lean) methods.set(operation.id, method.bind(controller));
    }
  }
  return methods;
}
