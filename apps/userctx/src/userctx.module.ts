import { Inject, Module } from '@nestjs/common';
import type { DynamicModule, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { AccountDeletionModule } from './contexts/account-deletion/account-deletion.module.js';
import { AccessLogModule } from './contexts/access-log/access-log.module.js';
import { AccountsModule } from './contexts/accounts/accounts.module.js';
import { RevocationRepository } from './contexts/accounts/sessions/revocation.repository.js';
import { AppReleasesModule } from './contexts/app-releases/app-releases.module.js';
import { ChildrenModule } from './contexts/children/children.module.js';
import { ContactsModule } from './contexts/contacts/contacts.module.js';
import { DataExportsModule } from './contexts/data-exports/data-exports.module.js';
import { FamiliesModule } from './contexts/families/families.module.js';
import { MembershipsModule } from './contexts/families/memberships/memberships.module.js';
import { FencesModule } from './contexts/fences/fences.module.js';
import { FirmwareModule } from './contexts/firmware/firmware.module.js';
import { FriendsModule } from './contexts/friends/friends.module.js';
import { LocationsModule } from './contexts/locations/locations.module.js';
import { OperatorsModule } from './contexts/operators/operators.module.js';
import { PaymentsModule } from './contexts/payments/payments.module.js';
import { PositioningModule } from './contexts/positioning/positioning.module.js';
import { RemoteControlModule } from './contexts/remote-control/remote-control.module.js';
import { SosModule } from './contexts/sos/sos.module.js';
import { ChildRulesModule } from './contexts/watch-settings/child-rules/child-rules.module.js';
import { WatchSettingsModule } from './contexts/watch-settings/watch-settings.module.js';
import { WatchesModule } from './contexts/watches/watches.module.js';
import { userctxInfrastructure } from './infrastructure/userctx-infrastructure.js';
import type { UserctxDependencies } from './infrastructure/userctx-infrastructure.js';
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
        AccountsModule,
        FamiliesModule,
        MembershipsModule,
        AccessLogModule,
        ChildrenModule,
        ContactsModule,
        WatchesModule,
        FencesModule,
        LocationsModule,
        OperatorsModule,
        PositioningModule,
        WatchSettingsModule,
        ChildRulesModule,
        FriendsModule,
        RemoteControlModule,
        SosModule,
        PaymentsModule,
        FirmwareModule,
        AppReleasesModule,
        AccountDeletionModule,
        DataExportsModule,
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
