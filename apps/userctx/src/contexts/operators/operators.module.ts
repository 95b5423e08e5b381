import { Module } from '@nestjs/common';
import { OperatorGate } from '@family-watch/platform/http/operator-gate';
import { AccountsModule } from '../accounts/accounts.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { AuditRepository } from './audit.repository.js';
import { AuditService } from './audit.service.js';
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
  imports: [AccountsModule, WatchesModule],
  controllers: [OperatorsController, FleetController, SupportController],
  providers: [
    AuditRepository,
    AuditService,
    OperatorAccountsService,
    { provide: OperatorGate, useClass: OperatorGateService },
    OperatorRepository,
    OperatorSecrets,
    OperatorSignInService,
  ],
})
export class OperatorsModule {}
