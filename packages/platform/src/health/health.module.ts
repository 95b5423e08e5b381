import { Controller, Get, Inject, Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { Operation } from '../http/operation.decorator.js';

/** What must answer before this process may be sent requests, by name. */
export type ReadinessChecks = Readonly<Record<string, () => Promise<boolean> | boolean>>;

const READINESS_CHECKS = Symbol('ReadinessChecks');

@ApiExcludeController()
@Controller('health')
class HealthController {
  constructor(@Inject(READINESS_CHECKS) private readonly checks: ReadinessChecks) {}

  /** The process runs; says nothing about what it depends on, so that an outage elsewhere restarts nobody. */
  @Get('live')
  @Operation({ id: 'getLiveness', access: 'public', summary: 'The process runs', enveloped: false })
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** @throws ServiceError OVERLOADED with one detail per part that is away */
  @Get('ready')
  @Operation({ id: 'getReadiness', access: 'public', summary: 'Requests can be served', enveloped: false })
  async ready(): Promise<{ status: 'ok' }> {
    const results = await Promise.all(
      Object.entries(this.checks).map(async ([part, check]) => ({ part, up: await check() })),
    );
    const details = results
      .filter(({ up }) => !up)
      .map(({ part }) => ({ field: part, rule: 'reachable', message: `${part} is away` }));
    if (details.length > 0) throw new ServiceError('OVERLOADED', { details, retryAfter: 2 });
    return { status: 'ok' };
  }
}

/** `/health/live` and `/health/ready` of a process. */
@Module({})
export class HealthModule {
  static forRoot(checks: ReadinessChecks): DynamicModule {
    return {
      module: HealthModule,
      controllers: [HealthController],
      providers: [{ provide: READINESS_CHECKS, useValue: checks }],
    };
  }
}
