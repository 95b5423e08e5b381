import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { OnContactChangedHandler } from './on-contact-changed.handler.js';
import { OnFriendApplicationHandler } from './on-friend-application.handler.js';
import { OnLocationAskedHandler } from './on-location-asked.handler.js';
import { OnRemoteCommandHandler } from './on-remote-command.handler.js';
import { OnWatchBindingHandler } from './on-watch-binding.handler.js';
import { OnWatchSettingsChangedHandler } from './on-watch-settings-changed.handler.js';

@Module({
  imports: [FamiliesModule, MailboxModule],
  providers: [
    OnWatchBindingHandler,
    OnContactChangedHandler,
    OnFriendApplicationHandler,
    OnLocationAskedHandler,
    OnRemoteCommandHandler,
    OnWatchSettingsChangedHandler,
  ],
})
export class NoticesModule {}
