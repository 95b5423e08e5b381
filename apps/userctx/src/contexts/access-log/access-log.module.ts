import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { AccessLogController } from './access-log.controller.js';
import { AccessLogEventHandlers } from './access-log.event-handlers.js';
import { AccessLogService } from './access-log.service.js';
import { ChildReadRepository } from './child-read.repository.js';

/** Who saw the data of each child. */
@Module({
  imports: [FamiliesModule],
  controllers: [AccessLogController],
  providers: [AccessLogEventHandlers, AccessLogService, ChildReadRepository],
  exports: [AccessLogService],
})
export class AccessLogModule {}
