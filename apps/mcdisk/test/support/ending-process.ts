import { importJWK } from 'jose';
import type { CryptoKey } from 'jose';
import { BlobStore } from '../../src/contexts/blobs/blob-store.js';
import { CollectorJob } from '../../src/contexts/collector/collector.job.js';
import { CollectorRepository } from '../../src/contexts/collector/collector.repository.js';
import { StoreMarkRepository } from '../../src/contexts/collector/store-mark.repository.js';
import { ContentStateRepository } from '../../src/contexts/contents/content-state.repository.js';
import { DeletionService } from '../../src/contexts/contents/deletion.service.js';
import { EndedCloudRepository } from '../../src/contexts/endings/ended-cloud.repository.js';
import { EndingRepository } from '../../src/contexts/endings/ending.repository.js';
import { EndingsJob } from '../../src/contexts/endings/endings.job.js';
import { Recycling } from '../../src/contexts/endings/recycling.service.js';
import { BinEmptyingRepository } from '../../src/contexts/recycle-bin/bin-emptying.repository.js';
import { PurgeService } from '../../src/contexts/recycle-bin/purge.service.js';
import { PurgingService } from '../../src/contexts/recycle-bin/purging.service.js';
import { CloudServer } from './cloud-server.js';
import { dieAround } from './die-around.js';
import type { EndingProcessPlan, EndPoint } from './ending-process.plan.js';

function arm({ app }: CloudServer, death: EndPoint): void {
  const get = <Part>(type: new (...args: never[]) => Part): Part => app.get(type, { strict: false });
  const store = app.get(BlobStore, { strict: false });
  const arms: Record<EndPoint, () => void> = {
    'with condemned blobs locked': () => dieAround(get(CollectorRepository), 'lockCondemned', 'after'),
    'decided, before the commit': () => dieAround(get(CollectorRepository), 'takeRenditions', 'after'),
    'decided, before any bytes go': () => dieAround(store, 'discard', 'before'),
    'while bytes go': () => dieAround(store, 'discard', 'after'),
    'before they are gone': () => dieAround(get(CollectorRepository), 'markGone', 'before'),
    'after they are gone': () => dieAround(get(CollectorRepository), 'markGone', 'after'),
    'the mark counted, not written': () => dieAround(get(StoreMarkRepository), 'advance', 'after'),
    'while the mark is written': () => dieAround(store, 'stage', 'after'),
    'recycled, before the commit': () => dieAround(get(ContentStateRepository), 'recycleSeen', 'after'),
    'recycled, before the answer': () => dieAround(get(DeletionService), 'delete', 'after'),
    'purged, before the commit': () => dieAround(get(PurgingService), 'purge', 'after'),
    'purged, before the answer': () => dieAround(get(PurgeService), 'purge', 'after'),
    'while a bin is emptied': () => dieAround(get(BinEmptyingRepository), 'goOn', 'after'),
    'while contents are recycled': () => dieAround(get(Recycling), 'recycle', 'after'),
    'between two steps': () => dieAround(get(EndingRepository), 'goOn', 'before'),
    'before the last rows go': () => dieAround(get(EndedCloudRepository), 'empty', 'before'),
    'after them': () => dieAround(get(EndedCloudRepository), 'empty', 'after'),
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
  await server.app.get(CollectorJob, { strict: false }).run(plan.now);
  await server.app.get(EndingsJob, { strict: false }).run(plan.now);
}
