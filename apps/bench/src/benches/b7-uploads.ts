import { randomFillSync } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CloudApi, pathOf, type PendingUpload } from '../load/cloud-api.js';
import { headerOf, HttpConnection } from '../load/http-connection.js';
import type { ServerEndpoint } from '../load/websocket.js';
import { medianOf } from '../report/percentiles.js';
import { atLeast, lineWithoutGoal, type BenchResult } from '../report/result.js';
import { startBaselineFileServer } from '../servers/baseline/start-baseline-files.js';
import { measureCpu } from '../servers/cpu-meter.js';
import { startNginx } from '../servers/nginx.js';
import { cpuSecondsOf } from '../servers/process-figures.js';
import type { ServerProcess } from '../servers/server-process.js';
import type { BenchContext } from './bench-context.js';
import { CloudEnvironment, type CloudOwner } from './cloud-environment.js';

const LARGE_FILE_BYTES = 64 * 1024 * 1024;
const SMALL_FILE_BYTES = 100 * 1024;
const LARGE_FILES_PER_ROUND = 6;
const CONNECTIONS = 16;
const UPLOADS_PER_SESSION = 100;
const TUS_HEADERS = { 'tus-resumable': '1.0.0' };
const APPEND_HEADERS = { ...TUS_HEADERS, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };

/** A server under test: functions that upload files to it, and the measured values. */
interface UploadTarget {
  name: string;
  /** Uploads one large file. Resolves when the server has acknowledged the complete file. */
  uploadLarge?(bytes: Buffer): Promise<void>;
  /**
   * Uploads small files over one connection until `shouldStop` returns true.
   *
   * @returns the number of acknowledged files
   */
  uploadSmall(bytes: Buffer, shouldStop: () => boolean): Promise<number>;
  /** Upload time of each large file, in seconds. */
  largeFileSeconds: number[];
  /** Small files per second, one value per round. */
  smallFileRates: number[];
  /** CPU time of the server and its database per small file, in microseconds, one value per round. */
  smallFileCpu: number[];
  /** Starts measuring CPU time of the server and its database. @returns a function that returns the CPU seconds used */
  measureCpu(): Promise<() => Promise<number>>;
}

type Uploader = Omit<UploadTarget, 'measureCpu'>;

/** Compares uploads to the family cloud, which hashes and syncs files, with servers that do neither. */
export async function runUploadBenchmark(context: BenchContext): Promise<BenchResult> {
  const { rounds, seconds } = context.options;
  const targets = await startTargets(context);
  for (let round = 0; round <= rounds; round += 1) {
    for (const target of targets) {
      await measureRound(target, seconds, context.size(LARGE_FILES_PER_ROUND, 1));
      // Round 0 is the warm-up and is not counted.
      if (round === 0) target.largeFileSeconds.length = target.smallFileRates.length = target.smallFileCpu.length = 0;
    }
  }
  const [cloud, tus, , byTus] = targets as [UploadTarget, UploadTarget, UploadTarget, UploadTarget];
  const timeRatio = medianOf(tus.largeFileSeconds) / medianOf(cloud.largeFileSeconds);
  const cloudRate = medianOf(cloud.smallFileRates);
  const lines = [
    atLeast('B7', '64 MiB by tus: time, bare @tus/server / family cloud', timeRatio, 1),
    atLeast(
      'B7',
      '100 KiB in one request: rate, family cloud / bare @tus/server',
      cloudRate / medianOf(tus.smallFileRates),
      1,
    ),
    lineWithoutGoal(
      'B7',
      '100 KiB: rate, family cloud in one request / by tus',
      cloudRate / medianOf(byTus.smallFileRates),
    ),
    ...targets.flatMap(({ name, largeFileSeconds: large, smallFileRates: rates, smallFileCpu: cpu }) => [
      ...(large.length > 0
        ? [lineWithoutGoal('B7', `${name}: upload time of 64 MiB`, medianOf(large) * 1_000, 'ms')]
        : []),
      lineWithoutGoal('B7', `${name}: 100 KiB files per second`, medianOf(rates)),
      lineWithoutGoal('B7', `${name}: CPU time of server and database per 100 KiB file`, medianOf(cpu), 'µs'),
    ]),
  ];
  return {
    bench: 'B7',
    lines,
    figures: targets.map(({ name, largeFileSeconds: large, smallFileRates: rates }) => ({ name, large, rates })),
  };
}

async function startTargets(context: BenchContext): Promise<UploadTarget[]> {
  const environment = await CloudEnvironment.start(context);
  const mcdisk = await environment.startMcdisk();
  const owners = await environment.seedFamilies(CONNECTIONS);
  // Raises the quota above the bytes that a run uploads.
  await environment.database.query('UPDATE mcdisk.family_cloud SET disk_size = 1::bigint << 50');
  const folders = { tus: join(context.folder, 'tus'), nginx: join(context.folder, 'dav') };
  for (const folder of Object.values(folders)) await mkdir(folder);
  const tus = await startBaselineFileServer('tus', folders.tus);
  const nginx = await startNginx({ folder: join(context.folder, 'nginx'), filesDirectory: folders.nginx });
  for (const { process: server } of [tus, nginx]) context.onClose(() => server.stop());
  const measureCloudCpu = async () => {
    const stop = await measureCpu([mcdisk.process], environment.database);
    return async () => (await stop()).total;
  };
  return [
    { ...cloudUploader(mcdisk.endpoint, owners), measureCpu: measureCloudCpu },
    { ...tusUploader(tus.endpoint), measureCpu: () => Promise.resolve(startCpuMeasurement(tus.process)) },
    { ...davUploader(nginx.endpoint), measureCpu: () => Promise.resolve(startCpuMeasurement(nginx.process)) },
    { ...cloudUploaderByTus(mcdisk.endpoint, owners), measureCpu: measureCloudCpu },
  ];
}

async function measureRound(target: UploadTarget, seconds: number, largeFiles: number): Promise<void> {
  const large = Buffer.allocUnsafe(LARGE_FILE_BYTES);
  for (let time = 0; target.uploadLarge && time < largeFiles; time += 1) {
    // Makes every file different, because a family cloud stores equal files only once.
    randomFillSync(large, 0, 4_096);
    const start = performance.now();
    await target.uploadLarge(large);
    target.largeFileSeconds.push((performance.now() - start) / 1_000);
  }
  const cpu = await target.measureCpu();
  const start = performance.now();
  const shouldStop = () => performance.now() - start > seconds * 1_000;
  const counts = await Promise.all(
    Array.from({ length: CONNECTIONS }, () =>
      target.uploadSmall(randomFillSync(Buffer.allocUnsafe(SMALL_FILE_BYTES)), shouldStop),
    ),
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  target.smallFileRates.push(total / ((performance.now() - start) / 1_000));
  target.smallFileCpu.push(((await cpu()) * 1e6) / total);
}

function startCpuMeasurement({ pid }: ServerProcess): () => Promise<number> {
  const before = cpuSecondsOf(pid) ?? 0;
  return () => Promise.resolve((cpuSecondsOf(pid) ?? 0) - before);
}

function cloudUploader(endpoint: ServerEndpoint, owners: readonly CloudOwner[]): Uploader {
  const openClient = createClientFactory(endpoint, owners);
  return {
    name: 'family cloud',
    largeFileSeconds: [],
    smallFileRates: [],
    smallFileCpu: [],
    async uploadLarge(bytes) {
      const api = await openClient();
      const [file] = (await api.createUploads(1, bytes.length)) as [PendingUpload];
      await sendOrThrow(api.connection, 'PATCH', pathOf(file.tusURL), { headers: APPEND_HEADERS, body: bytes });
      api.close();
    },
    uploadSmall: (bytes, shouldStop) =>
      uploadSmallFiles(openClient, bytes, shouldStop, ({ connection }, { uploadURL }) =>
        sendOrThrow(connection, 'PUT', pathOf(uploadURL), { body: bytes }),
      ),
  };
}

/** Uploads small files by tus, for comparison with uploads in a single request. */
function cloudUploaderByTus(endpoint: ServerEndpoint, owners: readonly CloudOwner[]): Uploader {
  const openClient = createClientFactory(endpoint, owners);
  return {
    name: 'family cloud by tus',
    largeFileSeconds: [],
    smallFileRates: [],
    smallFileCpu: [],
    uploadSmall: (bytes, shouldStop) =>
      uploadSmallFiles(openClient, bytes, shouldStop, ({ connection }, { tusURL }) =>
        sendOrThrow(connection, 'PATCH', pathOf(tusURL), { headers: APPEND_HEADERS, body: bytes }),
      ),
  };
}

/** Returns a function that opens a client of the next owner, so that clients do not wait for a lock of one cloud. */
function createClientFactory(endpoint: ServerEndpoint, owners: readonly CloudOwner[]): () => Promise<CloudApi> {
  let next = 0;
  return () => CloudApi.open(endpoint, owners[next++ % owners.length] as CloudOwner);
}

/**
 * Creates upload sessions and uploads their files over one connection until `shouldStop` returns true.
 *
 * @returns the number of acknowledged files
 */
async function uploadSmallFiles(
  openClient: () => Promise<CloudApi>,
  bytes: Buffer,
  shouldStop: () => boolean,
  send: (api: CloudApi, file: PendingUpload) => Promise<void>,
): Promise<number> {
  const api = await openClient();
  let count = 0;
  let pending: PendingUpload[] = [];
  while (!shouldStop()) {
    if (pending.length === 0) pending = await api.createUploads(UPLOADS_PER_SESSION, bytes.length);
    bytes.writeUInt32LE((count += 1));
    await send(api, pending.pop() as PendingUpload);
  }
  api.close();
  return count;
}

function tusUploader(endpoint: ServerEndpoint): Uploader {
  const upload = async (connection: HttpConnection, bytes: Buffer): Promise<void> => {
    const created = await connection.send({
      method: 'POST',
      path: '/files',
      headers: { ...TUS_HEADERS, 'upload-length': String(bytes.length), 'content-length': '0' },
    });
    await sendOrThrow(connection, 'PATCH', pathOf(headerOf(created, 'location')), {
      headers: APPEND_HEADERS,
      body: bytes,
    });
  };
  return createBareUploader('bare @tus/server', endpoint, upload);
}

function davUploader(endpoint: ServerEndpoint): Uploader {
  let number = 0;
  return createBareUploader('nginx with dav', endpoint, (connection, bytes) =>
    sendOrThrow(connection, 'PUT', `/files/${(number += 1)}.bin`, { body: bytes }),
  );
}

function createBareUploader(
  name: string,
  endpoint: ServerEndpoint,
  upload: (connection: HttpConnection, bytes: Buffer) => Promise<void>,
): Uploader {
  return {
    name,
    largeFileSeconds: [],
    smallFileRates: [],
    smallFileCpu: [],
    async uploadLarge(bytes) {
      const connection = await HttpConnection.open(endpoint);
      await upload(connection, bytes);
      connection.close();
    },
    async uploadSmall(bytes, shouldStop) {
      const connection = await HttpConnection.open(endpoint);
      let count = 0;
      for (; !shouldStop(); count += 1) await upload(connection, bytes);
      connection.close();
      return count;
    },
  };
}

/** @throws Error when the response status is not 2xx */
async function sendOrThrow(
  connection: HttpConnection,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body: Buffer },
): Promise<void> {
  const { status, body: text } = await connection.send({ method, path, headers, body }, true);
  if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${status} ${text.toString()}`);
}
