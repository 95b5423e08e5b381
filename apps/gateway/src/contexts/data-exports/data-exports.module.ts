import { Module } from '@nestjs/common';
import { DataExportSource } from '@family-watch/domain/data-exports/contracts/data-export';
import { ConversationsModule } from '../conversations/conversations.module.js';
import { NotificationsModule } from '../notifications/notifications.module.js';
import { VideoCallsModule } from '../video-calls/video-calls.module.js';
import { DataExportsService } from './data-exports.service.js';

/** What the gateway supplies for exports; userctx requests it with internal operations. */
@Module({
  imports: [ConversationsModule, NotificationsModule, VideoCallsModule],
  providers: [{ provide: DataExportSource, useClass: DataExportsService }],
})
export class DataExportsModule {}
