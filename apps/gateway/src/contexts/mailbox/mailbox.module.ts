import { Module } from '@nestjs/common';
import { ProjectionsModule } from '../projections/projections.module.js';
import { AcknowledgementsService } from './acknowledgements.service.js';
import { MailboxMetricsService } from './mailbox-metrics.service.js';
import { MailboxReaderService } from './mailbox-reader.service.js';
import { MailboxRepository } from './mailbox.repository.js';
import { MailboxService } from './mailbox.service.js';
import { SessionCursorRepository } from './session-cursor.repository.js';
import { MailboxNotifier } from './mailbox-notifier.js';

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
  ],
  exports: [MailboxService, MailboxReaderService, AcknowledgementsService, MailboxNotifier],
})
export class MailboxModule {}
