import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { AcknowledgementsService } from './acknowledgements.service.js';
import { MailboxReader } from './mailbox-reader.service.js';
import { MailboxRepository } from './mailbox.repository.js';
import { MailboxRetentionJob } from './mailbox-retention.job.js';
import { MailboxService } from './mailbox.service.js';
import { SessionCursorRepository } from './session-cursor.repository.js';
import { WakeUps } from './wake-ups.js';

@Module({
  imports: [FamiliesModule],
  providers: [
    MailboxRepository,
    SessionCursorRepository,
    MailboxService,
    MailboxReader,
    AcknowledgementsService,
    WakeUps,
    MailboxRetentionJob,
  ],
  exports: [MailboxService, MailboxReader, AcknowledgementsService, WakeUps],
})
export class MailboxModule {}
