import {
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { PrivacyModule } from './privacy/privacy.module.js';
import { AccountsModule } from './accounts/accounts.module.js';
import { RevocationRepository } from './accounts/sessions/revocation.repository.js';
import { OperatorsModule } from './operators/operators.module.js';
import { FamiliesModule } from './families/families.module.js';
import { LocationsModule } from './locations/locations.module.js';
import { WatchesModule } from './watches/watches.module.js';
import { PaymentsModule } from './payments/payments.module.js';
import { SmsModule } from './sms/sms.module.js';
import { SosModule } from './sos/sos.module.js';
import { userctxInfrastructure, type UserctxDependencies } from './infrastructure/userctx-infrastructure.js';
import { SnapshotSourceService } from './snapshot-source.service.js';

const REVOCATION_PUBLISHER = Symbol('RevocationPublisher');

/** Accounts, families, children, watches, contacts and locations. Serves the REST operations of userctx. */
@Module({})
export class UserctxModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly revocations: RevocationRepository,
    @Inject(REVOCATION_PUBLISHER) private readonly revocationPublisher: UserctxDependencies['revocationPublisher'],
  ) {}

  static forRoot(dependencies: UserctxDependencies): DynamicModule {
    return {
      module: UserctxModule,
      imports: [
        userctxInfrastructure(dependencies),
        SmsModule,
        AccountsModule,
        FamiliesModule,
        WatchesModule,
        LocationsModule,
        SosModule,
        PaymentsModule,
        PrivacyModule,
        OperatorsModule,
      ],
      providers: [SnapshotSourceService, { provide: REVOCATION_PUBLISHER, useValue: dependencies.revocationPublisher }],
    };
  }

  /** Loads earlier revocations before the app accepts requests. */
  async onApplicationBootstrap(): Promise<void> {
    await this.revocationPublisher.start(this.revocations);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.revocationPublisher.close();
  }
}
