import 'reflect-metadata';
import { dataExportOperations, userctxOperations } from '@family-watch/platform/http/internal-operations';
import { runApp } from '@family-watch/platform/app/run-app';
import { KeyRingService } from './accounts/keys/key-ring.service.js';
import { ExportSourceService } from './privacy/data-exports/export-source.service.js';
import { userctxDatabase } from './database/userctx-database.js';
import { SnapshotSourceService } from './snapshot-source.service.js';
import { UserctxModule } from './userctx.module.js';

await runApp('userctx', {
  database: userctxDatabase,
  verificationKeys: (app) => app.get(KeyRingService, { strict: false }).keySource,
  internalOperations: (app) => ({
    ...userctxOperations(app.get(SnapshotSourceService, { strict: false })),
    ...dataExportOperations(app.get(ExportSourceService, { strict: false })),
  }),
  module: async (dependencies) =>
    UserctxModule.forRoot({
      ...dependencies,
      revocationPublisher: await dependencies.messaging.openRevocationPublisher(),
    }),
});
