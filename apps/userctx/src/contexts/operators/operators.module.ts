import { Module } from '@nestjs/common';
import { OperatorGate } from '@family-watch/platform/http/operator-gate';
import { AccountsModule } from '../accounts/accounts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { AdministeredAppsService } from './administered-apps.service.js';
import { AuditRepository } from './audit.repository.js';
import { AuditService } from './audit.service.js';
import { DeliveriesService } from './deliveries.service.js';
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

/** Operators of the service: their accounts and sessions, and the audit list of everything they do. */
@Module({
  imports: [AccountsModule, FamiliesModule, WatchesModule],
  controllers: [OperatorsController, FleetController, SupportController, EventBusController],
  providers: [
    AdministeredAppsService,
    AuditRepository,
    AuditService,
    DeliveriesService,
    EventBusService,
    OperatorAccountsService,
    { provide: OperatorGate, useClass: OperatorGateService },
    OperatorRepository,
    OperatorSecrets,
    OperatorSignInService,
  ],
})
export class OperatorsModule {}
