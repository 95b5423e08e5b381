import { Module } from '@nestjs/common';
import { ConsentRepository } from './consent.repository.js';
import { ConsentsController } from './consents.controller.js';
import { ConsentsService } from './consents.service.js';

/** Consents of people. Other contexts check them before they process the data concerned. */
@Module({
  controllers: [ConsentsController],
  providers: [ConsentRepository, ConsentsService],
  exports: [ConsentsService],
})
export class ConsentsModule {}
