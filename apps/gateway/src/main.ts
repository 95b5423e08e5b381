import 'reflect-metadata';
import { DataExportSource } from '@family-watch/domain/privacy/contracts/data-export';
import { DeliveryDiagnosisSource } from '@family-watch/domain/operators/app-administration';
import { dataExportOperations, deliveryOperations } from '@family-watch/platform/http/internal-operations';
import { mcdiskOf, runApp } from '@family-watch/platform/app/run-app';
import { SocketIoAdapter } from './connections/socket-io.adapter.js';
import { gatewayDatabase } from './database/gateway-database.js';
import { GatewayModule } from './gateway.module.js';

await runApp('gateway', {
  database: gatewayDatabase,
  module: (dependencies) => GatewayModule.forRoot({ ...dependencies, contents: mcdiskOf(dependencies.environment) }),
  internalOperations: (app) => ({
    ...deliveryOperations(app.get(DeliveryDiagnosisSource, { strict: false })),
    ...dataExportOperations(app.get(DataExportSource, { strict: false })),
  }),
  configure: (app) => void app.useWebSocketAdapter(new SocketIoAdapter(app)),
});
