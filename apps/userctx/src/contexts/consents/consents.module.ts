import { Module } from '@nestjs/common';
import { ConsentRepository } from './consent.repository.js';
import { ConsentsController } from './consents.controller.js';
import { ConsentsService } from './consents.service.js';

/** Consents of people. Other contexts check a consent before they process data that requires it. */
@Module({
  controllers: [ConsentsController],
  providers: [ConsentRepository, ConsentsService],
  exports: [ConsentsService],
})
export class ConsentsModule {}
