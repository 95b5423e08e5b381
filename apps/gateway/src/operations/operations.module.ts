import { Module } from '@nestjs/common';
import { DataExportSource } from '@family-watch/domain/privacy/contracts/data-export';
import { DeliveryDiagnosisSource } from '@family-watch/domain/operators/app-administration';
import { CallsModule } from '../calls/calls.module.js';
import { ConversationsModule } from '../conversations/conversations.module.js';
import { NotificationsModule } from '../notifications/notifications.module.js';
import { ErasedDataRepository } from './account-erasure/erased-data.repository.js';
import { GatewayAccountErasure } from './account-erasure/gateway-account-erasure.service.js';
import { DataExportsService } from './data-exports/data-exports.service.js';
import { DeliveryDiagnosisRepository } from './diagnosis/delivery-diagnosis.repository.js';
import { DeliveryDiagnosisService } from './diagnosis/delivery-diagnosis.service.js';

/**
 * What the gateway does for operators and for userctx: the diagnosis of deliveries, the erasure of accounts, and its
 * part of exports. userctx requests it with internal operations and events.
 *
 * - Parts: `account-erasure/`, `data-exports/`, `diagnosis/`.
 * - Tables: none.
 * - Publishes: nothing.
 * - Needs: notifications, conversations, calls.
 */
@Module({
  imports: [ConversationsModule, NotificationsModule, CallsModule],
  providers: [
    DeliveryDiagnosisRepository,
    { provide: DeliveryDiagnosisSource, useClass: DeliveryDiagnosisService },
    GatewayAccountErasure,
    ErasedDataRepository,
    { provide: DataExportSource, useClass: DataExportsService },
  ],
})
export class OperationsModule {}
