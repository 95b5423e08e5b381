import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { SosModule } from '../sos/sos.module.js';
import { CommandExpiryJob } from './command-expiry.job.js';
import { EraseChildCommandsHandler } from './erase-child-commands.handler.js';
import { ApplyCommandMessageHandler } from './apply-command-message.handler.js';
import { CancelCommandsOnSosHandler } from './cancel-commands-on-sos.handler.js';
import { RemoteCommandRepository } from './remote-command.repository.js';
import { RemoteControlController } from './remote-control.controller.js';
import { RemoteControlService } from './remote-control.service.js';

/** Remote commands of guardians to watches. */
@Module({
  imports: [AccountsModule, FamiliesModule, SosModule],
  controllers: [RemoteControlController],
  providers: [
    CommandExpiryJob,
    EraseChildCommandsHandler,
    ApplyCommandMessageHandler,
    CancelCommandsOnSosHandler,
    RemoteCommandRepository,
    RemoteControlService,
  ],
})
export class RemoteControlModule {}
