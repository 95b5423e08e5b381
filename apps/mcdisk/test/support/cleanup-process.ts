import { importJWK } from 'jose';
import type { CryptoKey } from 'jose';
import { BlobStore } from '../../src/contexts/blobs/blob-store.js';
import { GarbageCollectionJob } from '../../src/contexts/garbage-collection/garbage-collection.job.js';
import { GarbageCollectionRepository } from '../../src/contexts/garbage-collection/garbage-collection.repository.js';
import { StoreIdentityRepository } from '../../src/contexts/garbage-collection/store-identity.repository.js';
import { ContentStateRepository } from '../../src/contexts/contents/content-state.repository.js';
import { ContentDeletionService } from '../../src/contexts/contents/content-deletion.service.js';
import { CloudCleanupRepository } from '../../src/contexts/cleanup/cloud-cleanup.repository.js';
import { CleanupTaskRepository } from '../../src/contexts/cleanup/cleanup-task.repository.js';
import { CleanupJob } from '../../src/contexts/cleanup/cleanup.job.js';
import { ContentRecyclingService } from '../../src/contexts/cleanup/content-recycling.service.js';
import { RecycleBinEmptyingRepository } from '../../src/contexts/recycle-bin/recycle-bin-emptying.repository.js';
import { RecycleBinPurgeService } from '../../src/contexts/recycle-bin/recycle-bin-purge.service.js';
import { ContentPurgeService } from '../../src/contexts/recycle-bin/content-purge.service.js';
import { CloudServer } from './cloud-server.js';
import { crashAround } from './crash-around.js';
import type { EndingProcessPlan, EndPoint } from './cleanup-process.plan.js';

function arm({ app }: CloudServer, death: EndPoint): void {
  const get = <Part>(type: new (...args: never[]) => Part): Part => app.get(type, { strict: false });
  const store = app.get(BlobStore, { strict: false });
  const arms: Record<EndPoint, () => void> = {
    'with condemned blobs locked': () => crashAround(get(GarbageCollectionRepository), 'lockCondemned', 'after'),
    'decided, before the commit': () => crashAround(get(GarbageCollectionRepository), 'deleteRenditions', 'after'),
    'decided, before any bytes go': () => crashAround(store, 'discard', 'before'),
    'while bytes go': () => crashAround(store, 'discard', 'after'),
    'before they are gone': () => crashAround(get(GarbageCollectionRepository), 'markGone', 'before'),
    'after they are gone': () => crashAround(get(GarbageCollectionRepository), 'markGone', 'after'),
    'the mark counted, not written': () => crashAround(get(StoreIdentityRepository), 'advance', 'after'),
    'while the mark is written': () => crashAround(store, 'stage', 'after'),
    'recycled, before the commit': () => crashAround(get(ContentStateRepository), 'recycleVisible', 'after'),
    'recycled, before the answer': () => crashAround(get(ContentDeletionService), 'delete', 'after'),
    'purged, before the commit': () => crashAround(get(ContentPurgeService), 'purge', 'after'),
    'purged, before the answer': () => crashAround(get(RecycleBinPurgeService), 'purge', 'after'),
    'while a bin is emptied': () => crashAround(get(RecycleBinEmptyingRepository), 'advance', 'after'),
    'while contents are recycled': () => crashAround(get(ContentRecyclingService), 'recycle', 'after'),
    'between two steps': () => crashAround(get(CleanupTaskRepository), 'advance', 'before'),
    'before the last rows go': () => crashAround(get(CloudCleanupRepository), 'empty', 'before'),
    'after them': () => crashAround(get(CloudCleanupRepository), 'empty', 'after'),
  };
  arms[death]();
}

const plan = JSON.parse(process.argv[2] ?? '{}') as EndingProcessPlan;
const publicKey = (await importJWK(plan.publicKey, 'EdDSA')) as CryptoKey;
const server = await CloudServer.open({
  databaseUrl: plan.databaseUrl,
  dataDir: plan.dataDir,
  // It only checks tokens; the test signs them.
  keys: { publicKey, privateKey: publicKey },
  revoked: new Set(),
});
arm(server, plan.death);
process.stdout.write(`${server.url}\n`);
if (plan.now !== undefined) {
  await server.app.get(GarbageCollectionJob, { strict: false }).run(plan.now);
  await server.app.get(CleanupJob, { strict: false }).run(plan.now);
}
