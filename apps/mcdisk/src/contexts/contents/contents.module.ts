import { Module } from '@nestjs/common';
import { CloudsModule } from '../clouds/clouds.module.js';
import { ContentRepository } from './content.repository.js';
import { ContentService } from './content.service.js';
import { ContentsController } from './contents.controller.js';
import { DeletionService } from './deletion.service.js';
import { TicketVerifier } from './ticket-verifier.js';

/** Files of the families' clouds: listing and deleting. */
@Module({
  imports: [CloudsModule],
  controllers: [ContentsController],
  providers: [ContentRepository, ContentService, DeletionService, TicketVerifier],
  exports: [ContentRepository],
})
export class ContentsModule {}
