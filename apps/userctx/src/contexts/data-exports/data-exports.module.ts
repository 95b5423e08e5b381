import { Module } from '@nestjs/common';
import { AccessLogModule } from '../access-log/access-log.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ChildrenModule } from '../children/children.module.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { MembershipsModule } from '../families/memberships/memberships.module.js';
import { FencesModule } from '../fences/fences.module.js';
import { FriendsModule } from '../friends/friends.module.js';
import { LocationsModule } from '../locations/locations.module.js';
import { PaymentsModule } from '../payments/payments.module.js';
import { RemoteControlModule } from '../remote-control/remote-control.module.js';
import { SosModule } from '../sos/sos.module.js';
import { WatchSettingsModule } from '../watch-settings/watch-settings.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { DataExportRepository } from './data-export.repository.js';
import { DataExportsController } from './data-exports.controller.js';
import { DataExportsEventHandlers } from './data-exports.event-handlers.js';
import { DataExportsService } from './data-exports.service.js';
import { ExportScopeService } from './export-scope.service.js';
import { ExportSectionsService } from './export-sections.service.js';
import { ExportSourceService } from './export-source.service.js';

/** Exports of everything that a person may see. */
@Module({
  imports: [
    AccessLogModule,
    AccountsModule,
    ChildrenModule,
    ContactsModule,
    FamiliesModule,
    FencesModule,
    FriendsModule,
    LocationsModule,
    MembershipsModule,
    PaymentsModule,
    RemoteControlModule,
    SosModule,
    WatchSettingsModule,
    WatchesModule,
  ],
  controllers: [DataExportsController],
  providers: [
    DataExportRepository,
    DataExportsEventHandlers,
    DataExportsService,
    ExportScopeService,
    ExportSectionsService,
    ExportSourceService,
  ],
})
export class DataExportsModule {}
