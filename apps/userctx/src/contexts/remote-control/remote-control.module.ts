import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { SosModule } from '../sos/sos.module.js';
import { RemoteCommandRepository } from './remote-command.repository.js';
import { RemoteControlController } from './remote-control.controller.js';
import { RemoteControlEventHandlers } from './remote-control.event-handlers.js';
import { RemoteControlService } from './remote-control.service.js';

/** Remote commands of guardians to watches. */
@Module({
  imports: [AccountsModule, FamiliesModule, SosModule],
  controllers: [RemoteControlController],
  providers: [RemoteControlEventHandlers, RemoteCommandRepository, RemoteControlService],
  exports: [RemoteControlService],
})
export class RemoteControlModule {}
