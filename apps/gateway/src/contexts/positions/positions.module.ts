import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { ChildPositionRepository } from './child-position.repository.js';
import { ForgetPositionsHandler } from './on-family-changed.handler.js';
import { OnLocationChangedHandler } from './on-location-changed.handler.js';
import { PositionsService } from './positions.service.js';

@Module({
  imports: [FamiliesModule, MailboxModule],
  providers: [ChildPositionRepository, PositionsService, OnLocationChangedHandler, ForgetPositionsHandler],
  exports: [PositionsService],
})
export class PositionsModule {}
