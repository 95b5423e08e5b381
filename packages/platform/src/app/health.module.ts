import { Controller, Get, Inject, Module, type DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiExcludeController } from '@nestjs/swagger';
import { ServiceError, type ErrorDetail } from '@family-watch/domain/kernel/contracts/service-error';
import { createApplication, type ApplicationOptions } from '../http/create-application.js';
import { Operation } from '../http/operation.decorator.js';
import { runAs } from '../concurrency/work-priority.js';
import type { ReadinessProblem } from '../observability/readiness-check.js';

/**
 * Checks by component that must succeed before this process receives requests. A check succeeds if it returns true or
 * no problem.
 */
export type ReadinessChecks = Readonly<Record<string, () => Promise<boolean | ReadinessProblem | undefined> | boolean>>;

/**
 * Returns one description per problem that an operator must solve, but that does not prevent the process from serving
 * requests.
 */
export type FindDegradations = () => Promise<readonly string[]>;

const READINESS_CHECKS = Symbol('ReadinessChecks');
const FIND_DEGRADATIONS = Symbol('FindDegradations');

/**
 * Health checks have no rate limit. If other clients used up the limit, the checks would fail, and the process would be
 * taken out of service.
 */
const HEALTH_CHECK_OPERATION = { access: 'public', limit: 'none', hasEnvelope: false } as const;

@ApiExcludeController()
@Controller('health')
class HealthController {
  constructor(
    @Inject(READINESS_CHECKS) private readonly checks: ReadinessChecks,
    @Inject(FIND_DEGRADATIONS) private readonly findDegradations: FindDegradations,
  ) {}

  /**
   * Reports that the process runs. The check ignores dependencies, so that the outage of a dependency does not cause
   * restarts.
   */
  @Get('live')
  @Operation({ ...HEALTH_CHECK_OPERATION, id: 'getLiveness', summary: 'Check that the process runs' })
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** @throws ServiceError SERVICE_UNAVAILABLE with one detail per failed check */
  @Get('ready')
  @Operation({ ...HEALTH_CHECK_OPERATION, id: 'getReadiness', summary: 'Check that requests can be served' })
  async ready(): Promise<{ status: 'ok' } | { status: 'degraded'; degraded: readonly string[] }> {
    const checks = Object.entries(this.checks);
    const details = (
      await Promise.all(checks.map(async ([name, check]) => toErrorDetails(name, await check())))
    ).flat();
    if (details.length > 0) throw new ServiceError('SERVICE_UNAVAILABLE', { details, retryAfter: 2 });
    const degraded = await runAs('internal', this.findDegradations);
    return degraded.length > 0 ? { status: 'degraded', degraded } : { status: 'ok' };
  }
}

function toErrorDetails(component: string, result: boolean | ReadinessProblem | undefined): ErrorDetail[] {
  if (typeof result === 'object') return [{ field: component, rule: 'usable', message: result.message }];
  if (result !== false) return [];
  return [{ field: component, rule: 'reachable', message: `${component} is not available` }];
}

/** Serves `/health/live` and `/health/ready`. */
@Module({})
export class HealthModule {
  static forRoot(checks: ReadinessChecks, findDegradations: FindDegradations = async () => []): DynamicModule {
    return {
      module: HealthModule,
      controllers: [HealthController],
      providers: [
        { provide: READINESS_CHECKS, useValue: checks },
        { provide: FIND_DEGRADATIONS, useValue: findDegradations },
      ],
    };
  }
}

const HEALTH_PATH = '/health/';
const RETRY_AFTER_SECONDS = 10;

/**
 * Creates an application that serves only the health checks, for an app that must not use its database. Requests except
 * those of health checks get 503 DATABASE_UNAVAILABLE.
 *
 * @param options.module - the `HealthModule`
 */
export function createHealthApplication(
  options: Omit<ApplicationOptions, 'configure'>,
): Promise<NestFastifyApplication> {
  return createApplication({
    ...options,
    configure: (app) => {
      const fastify = app.getHttpAdapter().getInstance();
      fastify.addHook('onRequest', (request, _reply, done) => {
        if (request.url.startsWith(HEALTH_PATH)) done();
        else done(new ServiceError('DATABASE_UNAVAILABLE', { retryAfter: RETRY_AFTER_SECONDS }));
      });
    },
  });
}
