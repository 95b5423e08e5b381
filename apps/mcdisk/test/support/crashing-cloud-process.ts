import { importJWK, type CryptoKey, type JWK } from 'jose';
import { CleanupDataRepository } from '../../src/cleanup/cleanup-data.repository.js';
import { CleanupTaskRepository } from '../../src/cleanup/cleanup-task.repository.js';
import { CleanupService } from '../../src/cleanup/cleanup.service.js';
import { ContentDeletionService } from '../../src/files/contents/content-deletion.service.js';
import { ContentRepository } from '../../src/files/contents/content.repository.js';
import { RecycleBinRepository } from '../../src/files/recycle-bin/recycle-bin.repository.js';
import { RecycleBinService } from '../../src/files/recycle-bin/recycle-bin.service.js';
import { BlobStore } from '../../src/storage/blobs/blob-store.js';
import { BlobRepository } from '../../src/storage/blobs/blob.repository.js';
import { GarbageCollectionService } from '../../src/storage/garbage-collection/garbage-collection.service.js';
import { StoreIdentityRepository } from '../../src/storage/garbage-collection/store-identity.repository.js';
import { UploadAppendService } from '../../src/transfers/uploads/upload-append.service.js';
import { UploadCommitService } from '../../src/transfers/uploads/upload-commit.service.js';
import { UploadRepository } from '../../src/transfers/uploads/upload.repository.js';
import { CloudServer } from './cloud-server.js';

/** Start parameters of this process, passed as JSON in its only argument. */
export interface CloudProcessParameters {
  databaseUrl: string;
  dataDir: string;
  publicKey: JWK;
  /** The step at which the process crashes. Without a crash point the process runs until it is killed. */
  crashPoint?: CrashPoint;
  /** Current time for the jobs, Unix milliseconds. If absent, the node runs no jobs and only serves requests. */
  now?: number;
}

/** A step at which the process crashes when it first reaches this step. */
export type CrashPoint = keyof ReturnType<typeof crashesOf>;

function crashesOf(node: CloudServer) {
  /** Makes the process crash before or after the next call of a method of the provider. */
  function around<Provider extends object>(
    type: abstract new (...args: never[]) => Provider,
    name: keyof Provider,
    when: 'before' | 'after',
  ): void {
    const provider = node.get(type);
    const original = (provider[name] as (...args: never[]) => Promise<unknown>).bind(provider);
    const crashing = async (...args: never[]): Promise<unknown> => {
      if (when === 'after') await original(...args);
      return crash();
    };
    Object.assign(provider, { [name]: crashing });
  }
  return {
    // Steps of an upload.
    'before the blob row is inserted': () => around(UploadRepository, 'startReceiving', 'before'),
    'after the blob row is inserted': () => around(UploadRepository, 'startReceiving', 'after'),
    'while bytes are received': () => crashOnFirstBytes(node.get(BlobStore)),
    'after bytes are durable, before progress is stored': () => around(UploadRepository, 'recordProgress', 'before'),
    'after progress is stored': () => around(UploadRepository, 'recordProgress', 'after'),
    'after all bytes are stored': () => {
      around(BlobStore, 'put', 'after');
      around(UploadAppendService, 'finish', 'before');
    },
    'before promoting': () => around(BlobStore, 'promote', 'before'),
    'after promoting': () => around(BlobStore, 'promote', 'after'),
    'before the commit': () => around(UploadCommitService, 'commit', 'before'),
    'after the commit, before the response': () => around(UploadCommitService, 'commit', 'after'),
    // Steps of garbage collection.
    'after condemned blobs are locked': () => around(BlobRepository, 'lockCondemned', 'after'),
    'after the decision, before the commit': () => around(BlobRepository, 'deleteRenditions', 'after'),
    'after the commit, before bytes are deleted': () => around(BlobStore, 'discard', 'before'),
    'while bytes are deleted': () => around(BlobStore, 'discard', 'after'),
    'before blobs are marked gone': () => around(BlobRepository, 'markGone', 'before'),
    'after blobs are marked gone': () => around(BlobRepository, 'markGone', 'after'),
    'after the generation is incremented, before it is written': () =>
      around(StoreIdentityRepository, 'incrementGeneration', 'after'),
    'while the generation is written': () => around(BlobStore, 'stage', 'after'),
    // Steps of deleting and purging.
    'after recycling, before the commit': () => around(ContentRepository, 'recycleVisible', 'after'),
    'after recycling, before the response': () => around(ContentDeletionService, 'delete', 'after'),
    'after purging, before the commit': () => around(ContentDeletionService, 'purge', 'after'),
    'after purging, before the response': () => around(RecycleBinService, 'purge', 'after'),
    'while a recycle bin is emptied': () => around(RecycleBinRepository, 'saveEmptyingProgress', 'after'),
    // Steps of the cleanup of a dissolved family.
    'while contents are recycled': () => around(ContentDeletionService, 'recycleLocked', 'after'),
    'between two cleanup steps': () => around(CleanupTaskRepository, 'saveNextStep', 'before'),
    'before the last rows are deleted': () => around(CleanupDataRepository, 'deleteRowsOfCloud', 'before'),
    'after the last rows are deleted': () => around(CleanupDataRepository, 'deleteRowsOfCloud', 'after'),
  };
}

/** Kills this process like a power failure, without cleanup and without responses. */
function crash(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
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
if (parameters.crashPoint) crashesOf(server)[parameters.crashPoint]();
process.stdout.write(`${server.url}\n`);
if (parameters.now !== undefined) {
  await server.get(GarbageCollectionService).run(parameters.now);
  await server.get(CleanupService).run(parameters.now);
}
