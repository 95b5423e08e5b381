import { importJWK } from 'jose';
import type { CryptoKey, JWK } from 'jose';
import { UploadAppendService } from '../../src/contexts/uploads/upload-append.service.js';
import { UploadCommitService } from '../../src/contexts/uploads/upload-commit.service.js';
import { UploadLeaseRepository } from '../../src/contexts/uploads/upload-lease.repository.js';
import { BlobStore } from '../../src/contexts/blobs/blob-store.js';
import { CloudServer } from './cloud-server.js';
import { crash, crashAround } from './crash-around.js';

/** What the process is started with, as JSON in its one argument. */
export interface CloudProcessPlan {
  databaseUrl: string;
  dataDir: string;
  publicKey: JWK;
  /** The step of an upload at which it dies without a word; absent: it lives until it is killed. */
  death?: DeathPoint;
}

/** Steps of an upload; the process dies at the first one that is reached. */
export const DEATH_POINTS = [
  'before the blob has a row',
  'after the blob has a row',
  'while bytes come',
  'after bytes are lasting, before they are noted',
  'after bytes are noted',
  'after all bytes are staged',
  'before promoting',
  'after promoting',
  'before the commit',
  'after the commit, before the answer',
] as const;
export type DeathPoint = (typeof DEATH_POINTS)[number];

function arm({ app }: CloudServer, death: DeathPoint): void {
  const store = app.get(BlobStore, { strict: false });
  const leases = app.get(UploadLeaseRepository, { strict: false });
  const commits = app.get(UploadCommitService, { strict: false });
  const appending = app.get(UploadAppendService, { strict: false });
  const arms: Record<DeathPoint, () => void> = {
    'before the blob has a row': () => crashAround(leases, 'startReceiving', 'before'),
    'after the blob has a row': () => crashAround(leases, 'startReceiving', 'after'),
    'while bytes come': () => dieWhileBytesCome(store),
    'after bytes are lasting, before they are noted': () => crashAround(leases, 'advance', 'before'),
    'after bytes are noted': () => crashAround(leases, 'advance', 'after'),
    'after all bytes are staged': () => {
      crashAround(store, 'stage', 'after');
      crashAround(appending, 'finish', 'before');
    },
    'before promoting': () => crashAround(store, 'promote', 'before'),
    'after promoting': () => crashAround(store, 'promote', 'after'),
    'before the commit': () => crashAround(commits, 'commit', 'before'),
    'after the commit, before the answer': () => crashAround(commits, 'commit', 'after'),
  };
  arms[death]();
}

/** Dies with the first bytes that come, written or not. */
function dieWhileBytesCome(store: BlobStore): void {
  const { stage, append } = { stage: store.stage.bind(store), append: store.append.bind(store) };
  store.stage = (key, source, maxBytes) => {
    source.once('data', () => void crash());
    return stage(key, source, maxBytes);
  };
  store.append = (key, source, options) => {
    source.once('data', () => void crash());
    return append(key, source, options);
  };
}

const plan = JSON.parse(process.argv[2] ?? '{}') as CloudProcessPlan;
const publicKey = (await importJWK(plan.publicKey, 'EdDSA')) as CryptoKey;
const server = await CloudServer.open({
  databaseUrl: plan.databaseUrl,
  dataDir: plan.dataDir,
  // It only checks tokens; the test signs them.
  keys: { publicKey, privateKey: publicKey },
  revoked: new Set(),
});
if (plan.death) arm(server, plan.death);
process.stdout.write(`${server.url}\n`);
