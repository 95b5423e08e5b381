import { importJWK } from 'jose';
import type { CryptoKey, JWK } from 'jose';
import { UploadAppendService } from '../../src/contexts/uploads/upload-append.service.js';
import { UploadCommitService } from '../../src/contexts/uploads/upload-commit.service.js';
import { UploadRepository } from '../../src/contexts/uploads/upload.repository.js';
import { BlobStore } from '../../src/contexts/storage/blobs/blob-store.js';
import { CloudServer } from './cloud-server.js';
import { crash, crashAround } from './crash-around.js';

/** Start parameters of this process, passed as JSON in its only argument. */
export interface CloudProcessParameters {
  databaseUrl: string;
  dataDir: string;
  publicKey: JWK;
  /** The step of an upload at which the process crashes. Without a crash point the process runs until it is killed. */
  crashPoint?: CrashPoint;
}

/** Steps of an upload; the process crashes when it first reaches the configured step. */
export const CRASH_POINTS = [
  'before the blob row is inserted',
  'after the blob row is inserted',
  'while bytes are received',
  'after bytes are durable, before progress is stored',
  'after progress is stored',
  'after all bytes are stored',
  'before promoting',
  'after promoting',
  'before the commit',
  'after the commit, before the response',
] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

/** Makes the process crash when it first reaches the given step. */
function prepareCrash({ app }: CloudServer, crashPoint: CrashPoint): void {
  const store = app.get(BlobStore, { strict: false });
  const leases = app.get(UploadRepository, { strict: false });
  const commits = app.get(UploadCommitService, { strict: false });
  const uploadAppend = app.get(UploadAppendService, { strict: false });
  const crashes: Record<CrashPoint, () => void> = {
    'before the blob row is inserted': () => crashAround(leases, 'startReceiving', 'before'),
    'after the blob row is inserted': () => crashAround(leases, 'startReceiving', 'after'),
    'while bytes are received': () => crashOnFirstBytes(store),
    'after bytes are durable, before progress is stored': () => crashAround(leases, 'recordProgress', 'before'),
    'after progress is stored': () => crashAround(leases, 'recordProgress', 'after'),
    'after all bytes are stored': () => {
      crashAround(store, 'put', 'after');
      crashAround(uploadAppend, 'finish', 'before');
    },
    'before promoting': () => crashAround(store, 'promote', 'before'),
    'after promoting': () => crashAround(store, 'promote', 'after'),
    'before the commit': () => crashAround(commits, 'commit', 'before'),
    'after the commit, before the response': () => crashAround(commits, 'commit', 'after'),
  };
  crashes[crashPoint]();
}

/** Crashes when the first bytes of an upload are received, whether or not they are already written. */
function crashOnFirstBytes(store: BlobStore): void {
  const { put, append } = { put: store.put.bind(store), append: store.append.bind(store) };
  store.put = (key, source, maxBytes) => {
    source.once('data', () => void crash());
    return put(key, source, maxBytes);
  };
  store.append = (key, source, options) => {
    source.once('data', () => void crash());
    return append(key, source, options);
  };
}

const parameters = JSON.parse(process.argv[2] ?? '{}') as CloudProcessParameters;
const publicKey = (await importJWK(parameters.publicKey, 'EdDSA')) as CryptoKey;
const server = await CloudServer.open({
  databaseUrl: parameters.databaseUrl,
  dataDir: parameters.dataDir,
  // This process only verifies tokens and needs no private key; the test signs them.
  keys: { publicKey, privateKey: publicKey },
  revokedSessions: new Set(),
});
if (parameters.crashPoint) prepareCrash(server, parameters.crashPoint);
process.stdout.write(`${server.url}\n`);
