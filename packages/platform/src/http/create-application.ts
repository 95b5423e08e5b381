import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { DynamicModule, Type } from '@nestjs/common';
import { DiscoveryModule, HttpAdapterHost, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { SURFACE_PREFIXES } from '@family-watch/domain/kernel/contracts/surface';
import type { Authenticator } from '../auth/authenticator.js';
import type { Environment } from '../config/environment.js';
import { parseList } from '../config/variables/text-values.js';
import { NestLogger, type Logger } from '../observability/logger.js';
import { isTracing } from '../observability/tracing.js';
import { logRequests, measureRequests, traceRequests } from './observe-requests.js';
import { runAs } from '../concurrency/work-priority.js';
import { AccessGuard } from './access.guard.js';
import { AppVersionGate } from './app-version-gate.js';
import { AllowedMethods, declaredRoutes, type DeclaredRoute } from './routes.js';
import { operatorAccessOf } from './operation.decorator.js';
import { OperatorGate } from './operator-gate.js';
import { acceptJsonBodies, rejectEncodedBodies } from './body-encoding.js';
import { allowCrossOriginRequests } from './cross-origin-requests.js';
import { ConnectionDrain } from './server/connection-drain.js';
import { acceptEmergencyBodies } from './server/emergency-body.js';
import { EnvelopeInterceptor } from './envelope.interceptor.js';
import { ErrorFilter } from './error.filter.js';
import { createHttpServer } from './server/http-server.js';
import { ipBlock } from './server/ip-block.js';
import { ListeningSockets } from './server/listening-sockets.js';
import { RequestLimiter } from './request-limiter.js';
import { installDirectRoutes } from './direct-routes.js';
import { acceptRawCallbackBodies } from './raw-callback-body.js';
import { RequestValidationPipe } from './request-validation.pipe.js';

const MAX_BODY_BYTES = 256 * 1024;

export interface ApplicationOptions {
  /**
   * The app's root module. `createApplication` binds the global guards, pipes, filters and interceptors; modules must
   * not bind any.
   */
  module: Type<unknown> | DynamicModule;
  environment: Environment;
  logger: Logger;
  authenticator: Authenticator;
  /** Called after the application has been created, for setup that needs it (socket adapter, API documents). */
  configure?: (app: NestFastifyApplication) => void | Promise<void>;
}

/**
 * Creates the HTTP application with the same guard, validation, envelopes and errors in every app and in standalone.
 */
export async function createApplication(options: ApplicationOptions): Promise<NestFastifyApplication> {
  const { environment, logger, authenticator } = options;
  const adapter = new FastifyAdapter({
    serverFactory: (handle: RequestListener) => createHttpServer(handle, environment),
    // createHttpServer responds to errors of Node's HTTP parser.
    clientErrorHandler: () => undefined,
    bodyLimit: MAX_BODY_BYTES,
    // HEAD routes are disabled, because a HEAD request would run the GET handler, and DeleteChild is a GET operation.
    exposeHeadRoutes: false,
    // During shutdown, a request on an open connection gets its usual response instead of 503; see `ConnectionDrain`.
    return503OnClosing: false,
    trustProxy: environment.TRUSTED_PROXIES === undefined ? false : parseList(environment.TRUSTED_PROXIES),
    genReqId: requestId,
    rewriteUrl: toPlainSurface,
    // The router rejects malformed URLs and long path parameters before the hooks and the error handler of Nest.
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      void reply.header('x-request-id', request.id);
      void filter.respond(error, request, reply);
    },
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, maxParamLength: 256 },
  });
  const drainProvider = {
    provide: ConnectionDrain,
    useFactory: (host: HttpAdapterHost<FastifyAdapter>) => new ConnectionDrain(host, environment.SHUTDOWN_GRACE),
    inject: [HttpAdapterHost],
  };
  const listeningSocketsProvider = {
    provide: ListeningSockets,
    useFactory: (host: HttpAdapterHost<FastifyAdapter>) => new ListeningSockets(host),
    inject: [HttpAdapterHost],
  };
  const root = {
    module: class ApplicationRoot {},
    imports: [options.module, DiscoveryModule],
    providers: [drainProvider, listeningSocketsProvider],
  };
  const app = await NestFactory.create<NestFastifyApplication>(root, adapter, {
    logger: new NestLogger(logger),
    bufferLogs: false,
    abortOnError: false,
    // Nest's body parser also parses forms, but JSON operations must not be callable from an HTML form.
    bodyParser: false,
  });
  // Prevents the start if a route has no `@Operation`.
  const operatorGate = findOperatorGate(app, declaredRoutes(app));
  const limiter = new RequestLimiter(environment);
  const guard = new AccessGuard(authenticator, limiter, operatorGate, findAppVersionGate(app));
  const allowedMethods = new AllowedMethods(adapter.getInstance());
  const filter = new ErrorFilter(authenticator, allowedMethods, logger, operatorGate);
  app.useGlobalGuards(guard);
  app.useGlobalPipes(new RequestValidationPipe());
  app.useGlobalInterceptors(new EnvelopeInterceptor());
  app.useGlobalFilters(filter);
  adapter.getInstance().removeContentTypeParser('text/plain');
  acceptJsonBodies(adapter.getInstance());
  acceptRawCallbackBodies(adapter.getInstance());
  acceptEmergencyBodies(adapter.getInstance(), MAX_BODY_BYTES);
  logRequests(app, logger);
  const origins = new Set(parseList(environment.CORS_ORIGINS));
  if (origins.size > 0) allowCrossOriginRequests(adapter.getInstance(), origins, allowedMethods);
  rejectEncodedBodies(adapter.getInstance());
  if (environment.METRICS_PORT !== undefined) measureRequests(app);
  startRequestsAsPublic(app);
  if (isTracing()) traceRequests(app);
  installDirectRoutes(app, { guard, filter });
  await options.configure?.(app);
  return app;
}

/**
 * Returns the operator gate if the application has operations of operators.
 * @throws Error if no module provides the gate; the error prevents the start
 */
function findOperatorGate(app: NestFastifyApplication, routes: readonly DeclaredRoute[]): OperatorGate | undefined {
  if (!routes.some(({ access }) => operatorAccessOf(access))) return undefined;
  return app.get(OperatorGate, { strict: false });
}

/** Returns the gate of the app versions if a module provides it. */
function findAppVersionGate(app: NestFastifyApplication): AppVersionGate | undefined {
  try {
    return app.get(AppVersionGate, { strict: false });
  } catch {
    // Throws if no module provides the gate, for example in an application that serves only the health checks.
    return undefined;
  }
}

/** Gives each request the priority `public`, until the access guard has authenticated its caller. */
function startRequestsAsPublic(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('preHandler', ({ ip }, _reply, done) => runAs('public', done, ipBlock(ip)));
}

/**
 * Maps `/hmd-wx/api/v2/…` to the same operations under `/apis/v2/…`. The original URL still determines the envelope of
 * the response.
 */
function toPlainSurface(request: IncomingMessage): string {
  const url = request.url ?? '/';
  return url.startsWith(SURFACE_PREFIXES.wrapped)
    ? SURFACE_PREFIXES.plain + url.slice(SURFACE_PREFIXES.wrapped.length)
    : url;
}

/** Returns the caller's X-Request-Id if it is safe to log, otherwise a new id. */
function requestId(request: IncomingMessage): string {
  const received = request.headers['x-request-id'];
  return typeof received === 'string' && /^[\w.-]{1,64}$/.test(received) ? received : randomUUID();
}
