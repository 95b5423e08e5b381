import { Module } from '@nestjs/common';
import { ConsentRepository } from './consent.repository.js';
import { ConsentsController } from './consents.controller.js';
import { ConsentsService } from './consents.service.js';

/** What people have agreed to. Other contexts ask here before they act on it. */
@Module({
  controllers: [ConsentsController],
  providers: [ConsentRepository, ConsentsService],
  exports: [ConsentsService],
})
export class ConsentsModule {}
