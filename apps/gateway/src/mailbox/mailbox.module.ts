import { Module } from '@nestjs/common';
import { ProjectionsModule } from '../projections/projections.module.js';
import { AcknowledgementsService } from './acknowledgements.service.js';
import { LatestLocationRepository } from './latest-locations/latest-location.repository.js';
import { LatestLocationsEventHandlers } from './latest-locations/latest-locations.event-handlers.js';
import { LatestLocationsService } from './latest-locations/latest-locations.service.js';
import { MailboxMetricsService } from './mailbox-metrics.service.js';
import { MailboxNotifier } from './mailbox-notifier.js';
import { MailboxReaderService } from './mailbox-reader.service.js';
import { MailboxRepository } from './mailbox.repository.js';
import { MailboxService } from './mailbox.service.js';
import { SessionCursorRepository } from './session-cursor.repository.js';

/**
 * The mailbox of each user and watch: numbered entries, the cursor of each session and acknowledgements; and, outside the
 * numbered mailbox, the latest locations, of which only the newest is sent. Entries refer to chat messages, so statements
 * also read the tables of conversations. Begin with `MailboxService` (write), `MailboxReaderService` (read) and
 * `AcknowledgementsService` (cursors); docs/decisions/29-message-delivery.md gives the reasons.
 *
 * - Parts: `latest-locations/`.
 * - Tables: `child_position`, `epoch`, `mailbox_chat_entry`, `mailbox_entry`, `mailbox_head`, `session_cursor`.
 * - Publishes: `gateway.message.acknowledged`.
 * - Needs: projections.
 */
@Module({
  imports: [ProjectionsModule],
  providers: [
    MailboxRepository,
    SessionCursorRepository,
    MailboxService,
    MailboxReaderService,
    AcknowledgementsService,
    MailboxNotifier,
    MailboxMetricsService,
    LatestLocationRepository,
    LatestLocationsService,
    LatestLocationsEventHandlers,
  ],
  exports: [MailboxService, MailboxReaderService, AcknowledgementsService, MailboxNotifier, LatestLocationsService],
})
export class MailboxModule {}
