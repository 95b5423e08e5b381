import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { LocationsModule } from '../locations/locations.module.js';
import { PaymentsModule } from '../payments/payments.module.js';
import { SosModule } from '../sos/sos.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { AccessLogController } from './access-log/access-log.controller.js';
import { AccessLogEventHandlers } from './access-log/access-log.event-handlers.js';
import { AccessLogService } from './access-log/access-log.service.js';
import { ChildReadRepository } from './access-log/child-read.repository.js';
import { AccountDeletionController } from './account-deletion/account-deletion.controller.js';
import { AccountDeletionEventHandlers } from './account-deletion/account-deletion.event-handlers.js';
import { AccountDeletionRepository } from './account-deletion/account-deletion.repository.js';
import { AccountDeletionService } from './account-deletion/account-deletion.service.js';
import { PersonErasureService } from './account-deletion/person-erasure.service.js';
import { PersonalDataRepository } from './account-deletion/personal-data.repository.js';
import { UserctxAccountErasure } from './account-deletion/userctx-account-erasure.service.js';
import { DataExportRepository } from './data-exports/data-export.repository.js';
import { DataExportsController } from './data-exports/data-exports.controller.js';
import { DataExportsEventHandlers } from './data-exports/data-exports.event-handlers.js';
import { DataExportsService } from './data-exports/data-exports.service.js';
import { ExportScopeService } from './data-exports/export-scope.service.js';
import { ExportSectionsService } from './data-exports/export-sections.service.js';
import { ExportSourceService } from './data-exports/export-source.service.js';

/**
 * What a person may demand of the service: who saw a child's data, an export of everything the person may see, and
 * the deletion of the account in all apps.
 *
 * - Parts: `access-log/`, `account-deletion/`, `data-exports/`.
 * - Tables: `account_deletion`, `child_read`, `child_read_chain`, `data_export`.
 * - Publishes: `userctx.account-deletion.changed`, `userctx.account.erased`, `userctx.data-export.changed`.
 * - Needs: accounts, families, watches, locations, sos, payments.
 */
@Module({
  imports: [AccountsModule, FamiliesModule, LocationsModule, PaymentsModule, SosModule, WatchesModule],
  controllers: [AccessLogController, AccountDeletionController, DataExportsController],
  providers: [
    AccessLogEventHandlers,
    AccessLogService,
    ChildReadRepository,
    AccountDeletionEventHandlers,
    AccountDeletionRepository,
    AccountDeletionService,
    PersonErasureService,
    PersonalDataRepository,
    UserctxAccountErasure,
    DataExportRepository,
    DataExportsEventHandlers,
    DataExportsService,
    ExportScopeService,
    ExportSectionsService,
    ExportSourceService,
  ],
  exports: [AccessLogService],
})
export class PrivacyModule {}
