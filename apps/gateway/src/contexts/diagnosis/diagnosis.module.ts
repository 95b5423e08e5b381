import { Module } from '@nestjs/common';
import { DeliveryDiagnosisSource } from '@family-watch/domain/operators/contracts/app-administration';
import { DeliveryDiagnosisRepository } from './delivery-diagnosis.repository.js';
import { DeliveryDiagnosisService } from './delivery-diagnosis.service.js';

/** What operators see of deliveries; userctx requests it with an internal operation. */
@Module({
  providers: [DeliveryDiagnosisRepository, { provide: DeliveryDiagnosisSource, useClass: DeliveryDiagnosisService }],
})
export class DiagnosisModule {}
