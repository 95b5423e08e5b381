import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { GatewayModule } from '@family-watch/gateway/gateway.module';
import type { GatewayDependencies } from '@family-watch/gateway/infrastructure/gateway-infrastructure';
import { McdiskModule } from '@family-watch/mcdisk/mcdisk.module';
import type { McdiskDependencies } from '@family-watch/mcdisk/infrastructure/mcdisk-infrastructure';
import { HealthModule } from '@family-watch/platform/health/health.module';
import type { FindDegradations, ReadinessChecks } from '@family-watch/platform/health/health.module';
import { UserctxModule } from '@family-watch/userctx/userctx.module';
import type { UserctxDependencies } from '@family-watch/userctx/infrastructure/userctx-infrastructure';

export interface StandaloneDependencies {
  userctx: UserctxDependencies;
  mcdisk: McdiskDependencies;
  gateway: GatewayDependencies;
  readiness: ReadinessChecks;
  findDegradations: FindDegradations;
}

/** Imports the modules of the three apps into one process. */
@Module({})
export class StandaloneModule {
  static forRoot({ userctx, mcdisk, gateway, readiness, findDegradations }: StandaloneDependencies): DynamicModule {
    return {
      module: StandaloneModule,
      imports: [
        GatewayModule.forRoot(gateway),
        McdiskModule.forRoot(mcdisk),
        UserctxModule.forRoot(userctx),
        HealthModule.forRoot(readiness, findDegradations),
      ],
    };
  }
}
