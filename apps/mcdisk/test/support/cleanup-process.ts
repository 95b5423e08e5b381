import { importJWK } from 'jose';
import type { CryptoKey } from 'jose';
import { BlobStore } from '../../src/contexts/storage/blobs/blob-store.js';
import { GarbageCollectionService } from '../../src/contexts/storage/garbage-collection/garbage-collection.service.js';
import { BlobRepository } from '../../src/contexts/storage/blobs/blob.repository.js';
import { StoreIdentityRepository } from '../../src/contexts/storage/garbage-collection/store-identity.repository.js';
import { ContentRepository } from '../../src/contexts/files/contents/content.repository.js';
import { ContentDeletionService } from '../../src/contexts/files/contents/content-deletion.service.js';
import { CleanupDataRepository } from '../../src/contexts/cleanup/cleanup-data.repository.js';
import { CleanupTaskRepository } from '../../src/contexts/cleanup/cleanup-task.repository.js';
import { CleanupService } from '../../src/contexts/cleanup/cleanup.service.js';
import { RecycleBinRepository } from '../../src/contexts/files/recycle-bin/recycle-bin.repository.js';
import { RecycleBinService } from '../../src/contexts/files/recycle-bin/recycle-bin.service.js';
import { CloudServer } from './cloud-server.js';
import { crashAround } from './crash-around.js';
import type { CleanupProcessParameters, CleanupCrashPoint } from './cleanup-process-parameters.js';

/** Makes the process crash when it first reaches the given step. */
function prepareCrash({ app }: CloudServer, crashPoint: CleanupCrashPoint): void {
  const get = <Provider>(type: new (...args: never[]) => Provider): Provider => app.get(type, { strict: false });
  const store = app.get(BlobStore, { strict: false });
  const crashes: Record<CleanupCrashPoint, () => void> = {
    'after condemned blobs are locked': () => crashAround(get(BlobRepository), 'lockCondemned', 'after'),
    'after the decision, before the commit': () => crashAround(get(BlobRepository), 'deleteRenditions', 'after'),
    'after the commit, before bytes are deleted': () => crashAround(store, 'discard', 'before'),
    'while bytes are deleted': () => crashAround(store, 'discard', 'after'),
    'before blobs are marked gone': () => crashAround(get(BlobRepository), 'markGone', 'before'),
    'after blobs are marked gone': () => crashAround(get(BlobRepository), 'markGone', 'after'),
    'after the generation is incremented, before it is written': () =>
      crashAround(get(StoreIdentityRepository), 'incrementGeneration', 'after'),
    'while the generation is written': () => crashAround(store, 'stage', 'after'),
    'after recycling, before the commit': () => crashAround(get(ContentRepository), 'recycleVisible', 'after'),
    'after recycling, before the response': () => crashAround(get(ContentDeletionService), 'delete', 'after'),
    'after purging, before the commit': () => crashAround(get(ContentDeletionService), 'purge', 'after'),
    'after purging, before the response': () => crashAround(get(RecycleBinService), 'purge', 'after'),
    'while a recycle bin is emptied': () => crashAround(get(RecycleBinRepository), 'saveEmptyingProgress', 'after'),
    'while contents are recycled': () => crashAround(get(ContentDeletionService), 'recycleLocked', 'after'),
    'between two cleanup steps': () => crashAround(get(CleanupTaskRepository), 'saveNextStep', 'before'),
    'before the last rows are deleted': () => crashAround(get(CleanupDataRepository), 'deleteRowsOfCloud', 'before'),
    'after the last rows are deleted': () => crashAround(get(CleanupDataRepository), 'deleteRowsOfCloud', 'after'),
  };
  crashes[crashPoint]();
}

const parameters = JSON.parse(process.argv[2] ?? '{}') as CleanupProcessParameters;
const publicKey = (await importJWK(parameters.publicKey, 'EdDSA')) as CryptoKey;
const server = await CloudServer.open({
  databaseUrl: parameters.databaseUrl,
  dataDir: parameters.dataDir,
  // This process only verifies tokens and needs no private key; the test signs them.
  keys: { publicKey, privateKey: publicKey },
  revokedSessions: new Set(),
});
prepareCrash(server, parameters.crashPoint);
process.stdout.write(`${server.url}\n`);
if (parameters.now !== undefined) {
  await server.get(GarbageCollectionService).run(parameters.now);
  await server.get(CleanupService).run(parameters.now);
}
