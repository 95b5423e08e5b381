import { Module } from '@nestjs/common';
import { AppVersionGate } from '@family-watch/platform/http/app-version-gate';
import { OperatorGate } from '@family-watch/platform/http/operator-gate';
import { AccountsModule } from '../accounts/accounts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { PaymentsModule } from '../payments/payments.module.js';
import { AdministeredAppsService } from './administered-apps.service.js';
import { AppReleaseRepository } from './app-releases/app-release.repository.js';
import { AppReleasesController } from './app-releases/app-releases.controller.js';
import { AppReleasesService } from './app-releases/app-releases.service.js';
import { AuditRepository } from './audit.repository.js';
import { AuditService } from './audit.service.js';
import { DeliveriesService } from './deliveries.service.js';
import { DirectoryController } from './directory.controller.js';
import { DirectoryService } from './directory.service.js';
import { EventBusController } from './event-bus.controller.js';
import { EventBusService } from './event-bus.service.js';
import { FleetController } from './fleet.controller.js';
import { OperatorAccountsService } from './operator-accounts.service.js';
import { OperatorGateService } from './operator-gate.service.js';
import { OperatorSecrets } from './operator-secrets.js';
import { OperatorSignInService } from './operator-sign-in.service.js';
import { OperatorRepository } from './operator.repository.js';
import { OperatorsController } from './operators.controller.js';
import { SupportController } from './support.controller.js';

/**
 * Operators of the service: their accounts and sessions, what they see of accounts, families, watches, deliveries and the event
 * bus, releases of the app for parents, and the audit list of everything that they do.
 *
 * - Parts: `app-releases/`. The operators' command line is `src/commands/`, above the rooms.
 * - Tables: `app_release`, `operator_account`, `operator_audit_entry`, `operator_recovery_code`, `operator_session`.
 * - Publishes: nothing.
 * - Needs: accounts, families, watches, payments.
 */
@Module({
  imports: [AccountsModule, FamiliesModule, WatchesModule, PaymentsModule],
  controllers: [
    OperatorsController,
    FleetController,
    SupportController,
    DirectoryController,
    EventBusController,
    AppReleasesController,
  ],
  providers: [
    AdministeredAppsService,
    AuditRepository,
    AuditService,
    DeliveriesService,
    DirectoryService,
    EventBusService,
    OperatorAccountsService,
    { provide: OperatorGate, useClass: OperatorGateService },
    OperatorRepository,
    OperatorSecrets,
    OperatorSignInService,
    AppReleaseRepository,
    AppReleasesService,
    {
      provide: AppVersionGate,
      useFactory: (releases: AppReleasesService) => new AppVersionGate(() => releases.findMinimumVersions()),
      inject: [AppReleasesService],
    },
  ],
  exports: [AppReleasesService],
})
export class OperatorsModule {}
