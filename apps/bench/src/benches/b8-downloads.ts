import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CloudApi, pathOf, type PendingUpload } from '../load/cloud-api.js';
import { HttpConnection } from '../load/http-connection.js';
import type { ServerEndpoint } from '../load/websocket.js';
import { medianOf } from '../report/percentiles.js';
import { atLeast, lineWithoutGoal, type BenchResult } from '../report/result.js';
import { startBaselineFileServer } from '../servers/baseline/start-baseline-files.js';
import { startNginx } from '../servers/nginx.js';
import { cpuSecondsOf } from '../servers/process-figures.js';
import type { AppInstance } from '../servers/app.js';
import type { ServerProcess } from '../servers/server-process.js';
import type { BenchContext } from './bench-context.js';
import { CloudEnvironment } from './cloud-environment.js';

const FILE_SIZES_BYTES = { '64 KiB': 64 * 1024, '256 KiB': 256 * 1024, '1 MiB': 1024 * 1024 } as const;
type FileSize = keyof typeof FILE_SIZES_BYTES;
const FILES = 64;
const OWNERS = 8;
const CONNECTIONS = 16;
const WARM_UP_SECONDS = 2;
const OFFLOAD_SETTINGS = { FILE_OFFLOAD: 'x-accel:/_blobs/' };

/** A server under test and the measured values. */
interface DownloadTarget {
  name: string;
  endpoint: ServerEndpoint;
  processes: readonly ServerProcess[];
  /** Returns the paths of all files of one size; called before each round, because signed URLs expire. */
  listPaths(size: FileSize): Promise<string[]>;
  /** Files per second, one value per round. */
  rates: Record<FileSize, number[]>;
  /** CPU time of the server's processes per request, in microseconds. */
  cpu: Record<FileSize, number[]>;
}

/** Compares downloads from the family cloud, direct and behind nginx, with `@fastify/static` and nginx alone. */
export async function runDownloadBenchmark(context: BenchContext): Promise<BenchResult> {
  const { rounds, seconds } = context.options;
  const targets = await startTargets(context);
  for (const size of Object.keys(FILE_SIZES_BYTES) as FileSize[]) {
    for (const target of targets) await measureRate(target, size, context.size(WARM_UP_SECONDS, 0.2));
    for (let round = 0; round < rounds; round += 1) {
      // Odd rounds measure the servers in reverse order, so that no server always runs after the same other server.
      const ordered = round % 2 === 0 ? targets : targets.toReversed();
      for (const target of ordered) await measureRound(target, size, seconds);
    }
  }
  const ratesOf = (name: string, size: FileSize): number[] =>
    targets.find((target) => target.name === name)?.rates[size] ?? [];
  // Compares rates of the same round, because the load of the machine changes between rounds.
  const ratio = (size: FileSize, name: string, peer: string): number => {
    const peerRates = ratesOf(peer, size);
    return medianOf(ratesOf(name, size).map((rate, round) => rate / (peerRates[round] ?? Number.NaN)));
  };
  const lines = [
    atLeast('B8', '1 MiB: rate, family cloud / @fastify/static', ratio('1 MiB', 'family cloud', '@fastify/static'), 2),
    atLeast(
      'B8',
      '64 KiB: rate, family cloud / @fastify/static',
      ratio('64 KiB', 'family cloud', '@fastify/static'),
      1,
    ),
    atLeast('B8', '1 MiB: rate, with offload / nginx', ratio('1 MiB', 'with offload', 'nginx'), 0.9),
    lineWithoutGoal('B8', '64 KiB: rate, with offload / nginx', ratio('64 KiB', 'with offload', 'nginx')),
    ...(['64 KiB', '1 MiB'] as const).map((size) =>
      lineWithoutGoal('B8', `${size}: rate, bare offload / nginx`, ratio(size, 'bare offload', 'nginx')),
    ),
    ...(Object.keys(FILE_SIZES_BYTES) as FileSize[]).map((size) =>
      atLeast('B8', `${size}: rate, with offload / without`, ratio(size, 'with offload', 'without offload'), 1),
    ),
    ...targets.flatMap(({ name, rates, cpu }) =>
      (Object.keys(FILE_SIZES_BYTES) as FileSize[]).flatMap((size) => [
        lineWithoutGoal('B8', `${name}: ${size} files per second`, medianOf(rates[size])),
        lineWithoutGoal('B8', `${name}: CPU time of the server per ${size} file`, medianOf(cpu[size]), 'µs'),
      ]),
    ),
  ];
  return { bench: 'B8', lines, figures: targets.map(({ name, rates, cpu }) => ({ name, rates, cpu })) };
}

async function startTargets(context: BenchContext): Promise<DownloadTarget[]> {
  const environment = await CloudEnvironment.start(context);
  const direct = await environment.startMcdisk();
  const offloading = await environment.startMcdisk(OFFLOAD_SETTINGS);
  const owners = await environment.seedFamilies(OWNERS);
  const apis = await environment.connect(direct.endpoint, owners);
  const files = join(context.folder, 'files');
  await mkdir(files);
  const contents = await storeFiles(apis, files);
  const fastifyStatic = await startBaselineFileServer('static', files);
  const bareOffload = await startBaselineFileServer('offload', files);
  const startProxyOf = (name: string, { endpoint: { port } }: AppInstance, blobs = environment.blobDir) =>
    startNginx({ folder: join(context.folder, name), filesDirectory: files, backend: { port, blobs } });
  const nginx = await startProxyOf('nginx-with-offload', offloading);
  const plainProxy = await startProxyOf('nginx-without-offload', direct);
  const bareProxy = await startProxyOf('nginx-with-bare-offload', bareOffload, files);
  for (const server of [fastifyStatic, bareOffload, nginx, plainProxy, bareProxy])
    context.onClose(() => server.process.stop());
  const signedUrlPathsOf =
    ({ endpoint }: AppInstance): DownloadTarget['listPaths'] =>
    async (size) => {
      // Opens new clients for each round, because the server closes idle connections between rounds.
      const clients = await Promise.all(owners.map((owner) => CloudApi.open(endpoint, owner)));
      const paths = await requestDownloadPaths(contents[size], clients);
      for (const client of clients) client.close();
      return paths;
    };
  const pathsBelow = (pathPrefix: string) => (size: FileSize) =>
    Promise.resolve(contents[size].map((id) => `${pathPrefix}${id}`));
  return [
    createTarget('family cloud', direct, [direct.process], signedUrlPathsOf(direct)),
    createTarget('@fastify/static', fastifyStatic, [fastifyStatic.process], pathsBelow('/')),
    createTarget('with offload', nginx, [nginx.process, offloading.process], signedUrlPathsOf(offloading)),
    createTarget('without offload', plainProxy, [plainProxy.process, direct.process], signedUrlPathsOf(direct)),
    createTarget('bare offload', bareProxy, [bareProxy.process, bareOffload.process], pathsBelow('/app-api/')),
    createTarget('nginx', nginx, [nginx.process], pathsBelow('/files/')),
  ];
}

function createTarget(
  name: string,
  { endpoint }: AppInstance,
  processes: readonly ServerProcess[],
  listPaths: DownloadTarget['listPaths'],
): DownloadTarget {
  const noValues = (): Record<FileSize, number[]> => ({ '64 KiB': [], '256 KiB': [], '1 MiB': [] });
  return { name, endpoint, processes, listPaths, rates: noValues(), cpu: noValues() };
}

/** Stores the same files in the family cloud and in `folder`, where each file is named by its content id. */
async function storeFiles(apis: readonly CloudApi[], folder: string): Promise<Record<FileSize, string[]>> {
  const contents: Record<FileSize, string[]> = { '64 KiB': [], '256 KiB': [], '1 MiB': [] };
  for (const size of Object.keys(FILE_SIZES_BYTES) as FileSize[]) {
    for (let number = 0; number < FILES; number += 1) {
      const bytes = randomBytes(FILE_SIZES_BYTES[size]);
      const api = apis[number % OWNERS] as CloudApi;
      const [file] = (await api.createUploads(1, bytes.length)) as [PendingUpload];
      const path = pathOf(file.uploadURL);
      const { status } = await api.connection.send({ method: 'PUT', path, body: bytes }, true);
      if (status !== 200) throw new Error(`Upload failed with status ${status}`);
      await writeFile(join(folder, file.contentID), bytes);
      contents[size].push(file.contentID);
    }
  }
  return contents;
}

async function requestDownloadPaths(contents: readonly string[], clients: readonly CloudApi[]): Promise<string[]> {
  const paths: string[] = [];
  for (const [index, contentID] of contents.entries()) {
    paths.push(await (clients[index % OWNERS] as CloudApi).downloadPath(contentID));
  }
  return paths;
}

async function measureRound(target: DownloadTarget, size: FileSize, seconds: number): Promise<void> {
  const cpuSeconds = (): number => target.processes.reduce((sum, { pid }) => sum + (cpuSecondsOf(pid) ?? 0), 0);
  const before = cpuSeconds();
  const rate = await measureRate(target, size, seconds);
  target.rates[size].push(rate);
  target.cpu[size].push(((cpuSeconds() - before) * 1e6) / (rate * seconds));
}

/**
 * Returns the number of completely received files per second.
 *
 * @throws Error when a response is not 200 with a complete file
 */
async function measureRate(target: DownloadTarget, size: FileSize, seconds: number): Promise<number> {
  const { name, endpoint } = target;
  const files = await target.listPaths(size);
  const start = performance.now();
  const end = start + seconds * 1_000;
  const counts = await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, index) => {
      const connection = await HttpConnection.open(endpoint);
      let count = 0;
      for (; performance.now() < end; count += 1) {
        // Begins with another file on each connection.
        const path = files[(index * 7 + count) % files.length] as string;
        const response = await connection.send({ method: 'GET', path });
        if (response.status !== 200 || response.size !== FILE_SIZES_BYTES[size])
          throw new Error(`${name}: ${response.status} with ${response.size} bytes`);
      }
      connection.close();
      return count;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - start) / 1_000);
}
