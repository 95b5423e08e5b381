import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { SosModule } from '../sos/sos.module.js';
import { CommandExpiryJob } from './command-expiry.job.js';
import { OnChildErasedHandler } from './on-child-erased.handler.js';
import { OnCommandMessageHandler } from './on-command-message.handler.js';
import { OnSosRaisedHandler } from './on-sos-raised.handler.js';
import { RemoteCommandRepository } from './remote-command.repository.js';
import { RemoteControlController } from './remote-control.controller.js';
import { RemoteControlService } from './remote-control.service.js';

/** What guardians can make a watch do from afar. */
@Module({
  imports: [AccountsModule, FamiliesModule, SosModule],
  controllers: [RemoteControlController],
  providers: [
    CommandExpiryJob,
    OnChildErasedHandler,
    OnCommandMessageHandler,
    OnSosRaisedHandler,
    RemoteCommandRepository,
    RemoteControlService,
  ],
})
export class RemoteControlModule {}
