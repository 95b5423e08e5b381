import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { SendContactsChangeNoticeHandler } from './send-contacts-change-notice.handler.js';
import { SendFriendRequestNoticeHandler } from './send-friend-request-notice.handler.js';
import { SendLocationRequestNoticeHandler } from './send-location-request-notice.handler.js';
import { SendRemoteCommandHandler } from './send-remote-command.handler.js';
import { SendBindStateNoticeHandler } from './send-bind-state-notice.handler.js';
import { SendSettingsChangeNoticeHandler } from './send-settings-change-notice.handler.js';

@Module({
  imports: [FamiliesModule, MailboxModule],
  providers: [
    SendBindStateNoticeHandler,
    SendContactsChangeNoticeHandler,
    SendFriendRequestNoticeHandler,
    SendLocationRequestNoticeHandler,
    SendRemoteCommandHandler,
    SendSettingsChangeNoticeHandler,
  ],
})
export class NoticesModule {}
