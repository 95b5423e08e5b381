import type { DeliveryDiagnosisSource } from '@family-watch/domain/operators/app-administration';
import { systemClock } from '@family-watch/event-bus/clock';
import { openAppDatabase } from '@family-watch/platform/database/app-database';
import { gatewayDatabase } from '../../database/gateway-database.js';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { DeliveryDiagnosisRepository } from './delivery-diagnosis.repository.js';
import { DeliveryDiagnosisService } from './delivery-diagnosis.service.js';

/** Runs `work` with a diagnosis on the database of the gateway, for a command that runs outside of the gateway. */
export async function useDeliveryDiagnosis<Result>(
  url: string,
  work: (deliveries: DeliveryDiagnosisSource) => Promise<Result>,
): Promise<Result> {
  const database = await openAppDatabase({ ...gatewayDatabase, url, limits: { poolSize: 1 } });
  try {
    const unitOfWork = new GatewayUnitOfWork(database.dataSource, database.schema);
    return await work(new DeliveryDiagnosisService(new DeliveryDiagnosisRepository(unitOfWork), null, systemClock));
  } finally {
    await database.close();
  }
}
