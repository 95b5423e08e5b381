import 'reflect-metadata';
import { mcdiskOperations } from '@family-watch/platform/http/internal-operations';
import { dataExportsOf, runApp } from '@family-watch/platform/app/run-app';
import { BlobStoreReadiness } from './storage/blobs/blob-store-provider.js';
import { ContentRepository } from './files/contents/content.repository.js';
import { mcdiskDatabase } from './database/mcdisk-database.js';
import { McdiskModule } from './mcdisk.module.js';

await runApp('mcdisk', {
  database: mcdiskDatabase,
  readiness: (app) => ({ blobStore: () => app().get(BlobStoreReadiness, { strict: false }).findProblem() }),
  internalOperations: (app) => mcdiskOperations(app.get(ContentRepository, { strict: false })),
  module: (dependencies) =>
    McdiskModule.forRoot({ ...dependencies, dataExports: dataExportsOf(dependencies.environment) }),
});
