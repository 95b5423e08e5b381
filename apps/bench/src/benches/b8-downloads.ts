import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CloudApi, pathOf } from '../load/cloud-api.js';
import type { AnnouncedFile } from '../load/cloud-api.js';
import { HttpConnection } from '../load/http-connection.js';
import type { ServerEndpoint } from '../load/websocket.js';
import { medianOf } from '../report/percentiles.js';
import { atLeast, figure } from '../report/result.js';
import type { BenchResult } from '../report/result.js';
import { startBaselineFileServer } from '../servers/baseline/start-baseline-files.js';
import { startNginx } from '../servers/nginx.js';
import { cpuSecondsOf } from '../servers/process-figures.js';
import type { AppInstance } from '../servers/app.js';
import type { ServerProcess } from '../servers/server-process.js';
import type { BenchContext } from './bench-context.js';
import { CloudEnvironment } from './cloud-environment.js';

const SIZES = { '64 KiB': 64 * 1024, '1 MiB': 1024 * 1024 } as const;
type Size = keyof typeof SIZES;
const FILES = 64;
const OWNERS = 8;
const CONNECTIONS = 16;
const WARM_UP_SECONDS = 2;
const OFFLOAD = { FILE_OFFLOAD: 'x-accel:/_blobs/' };

interface Contestant {
  name: string;
  endpoint: ServerEndpoint;
  processes: readonly ServerProcess[];
  /** Paths of the files of one size; asked anew each round, because links grow old. */
  paths(size: Size): Promise<string[]>;
  rates: Record<Size, number[]>;
  /** Microseconds of CPU time of the server's processes a request. */
  cpu: Record<Size, number[]>;
}

/** Files out of the family cloud, direct and behind nginx, beside `@fastify/static` and nginx alone. */
export async function b8(context: BenchContext): Promise<BenchResult> {
  const { rounds, seconds } = context.options;
  const contestants = await startContestants(context);
  for (const size of Object.keys(SIZES) as Size[]) {
    for (const contestant of contestants) await loadOf(contestant, size, WARM_UP_SECONDS);
    for (let round = 0; round < rounds; round += 1) {
      // There and back: nobody always comes after the same one.
      const inTurn = round % 2 === 0 ? contestants : contestants.toReversed();
      for (const contestant of inTurn) await measure(contestant, size, seconds);
    }
  }
  const ratesOf = (name: string, size: Size): number[] =>
    contestants.find((contestant) => contestant.name === name)?.rates[size] ?? [];
  // Of neighbours in time: what else the machine does changes from round to round.
  const ratio = (size: Size, name: string, peer: string): number => {
    const ofPeer = ratesOf(peer, size);
    return medianOf(ratesOf(name, size).map((rate, round) => rate / (ofPeer[round] ?? Number.NaN)));
  };
  const lines = [
    atLeast('B8', '1 MiB: rate to @fastify/static', ratio('1 MiB', 'family cloud', '@fastify/static'), 2),
    atLeast('B8', '64 KiB: rate to @fastify/static', ratio('64 KiB', 'family cloud', '@fastify/static'), 1),
    atLeast('B8', '1 MiB with offload: rate to nginx', ratio('1 MiB', 'with offload', 'nginx'), 0.9),
    figure('B8', '64 KiB with offload: rate to nginx', ratio('64 KiB', 'with offload', 'nginx')),
    ...contestants.flatMap(({ name, rates, cpu }) =>
      (Object.keys(SIZES) as Size[]).flatMap((size) => [
        figure('B8', `${name}: files of ${size} a second`, medianOf(rates[size])),
        figure('B8', `${name}: CPU time of the server a file of ${size}`, medianOf(cpu[size]), 'µs'),
      ]),
    ),
  ];
  return { bench: 'B8', lines, figures: contestants.map(({ name, rates, cpu }) => ({ name, rates, cpu })) };
}

async function startContestants(context: BenchContext): Promise<Contestant[]> {
  const world = await CloudEnvironment.start(context);
  const direct = await world.startMcdisk();
  const behind = await world.startMcdisk(OFFLOAD);
  const owners = await world.seedFamilies(OWNERS);
  const apis = await world.connect(direct.endpoint, owners);
  const files = join(context.folder, 'files');
  await mkdir(files);
  const contents = await fill(apis, files);
  const statics = await startBaselineFileServer('static', files);
  const nginx = await startNginx({
    folder: context.folder,
    files,
    behind: { port: behind.endpoint.port, blobs: world.blobDir },
  });
  for (const server of [statics, nginx]) context.onClose(() => server.process.stop());
  const linksBy =
    ({ endpoint }: AppInstance): Contestant['paths'] =>
    async (size) => {
      // New ones each time: between two rounds they would be closed for idleness.
      const readers = await Promise.all(owners.map((owner) => CloudApi.open(endpoint, owner)));
      const links = await linksTo(contents[size], readers);
      for (const reader of readers) reader.close();
      return links;
    };
  const below = (folder: string) => (size: Size) => Promise.resolve(contents[size].map((id) => `${folder}${id}`));
  return [
    contestantOf('family cloud', direct, [direct.process], linksBy(direct)),
    contestantOf('@fastify/static', statics, [statics.process], below('/')),
    contestantOf('with offload', nginx, [nginx.process, behind.process], linksBy(behind)),
    contestantOf('nginx', nginx, [nginx.process], below('/files/')),
  ];
}

function contestantOf(
  name: string,
  { endpoint }: AppInstance,
  processes: readonly ServerProcess[],
  paths: Contestant['paths'],
): Contestant {
  const none = (): Record<Size, number[]> => ({ '64 KiB': [], '1 MiB': [] });
  return { name, endpoint, processes, paths, rates: none(), cpu: none() };
}

/** Puts the same files into the family cloud and into a folder, there named by their content ids. */
async function fill(apis: readonly CloudApi[], folder: string): Promise<Record<Size, string[]>> {
  const contents: Record<Size, string[]> = { '64 KiB': [], '1 MiB': [] };
  for (const size of Object.keys(SIZES) as Size[]) {
    for (let number = 0; number < FILES; number += 1) {
      const bytes = randomBytes(SIZES[size]);
      const api = apis[number % OWNERS] as CloudApi;
      const [file] = (await api.announce(1, bytes.length)) as [AnnouncedFile];
      const path = pathOf(file.uploadURL);
      const { status } = await api.connection.send({ method: 'PUT', path, body: bytes }, true);
      if (status !== 200) throw new Error(`A file was refused: ${status}`);
      await writeFile(join(folder, file.contentID), bytes);
      contents[size].push(file.contentID);
    }
  }
  return contents;
}

async function linksTo(contents: readonly string[], readers: readonly CloudApi[]): Promise<string[]> {
  const paths: string[] = [];
  for (const [index, contentID] of contents.entries()) {
    paths.push(await (readers[index % OWNERS] as CloudApi).downloadPath(contentID));
  }
  return paths;
}

async function measure(contestant: Contestant, size: Size, seconds: number): Promise<void> {
  const used = (): number => contestant.processes.reduce((sum, { pid }) => sum + (cpuSecondsOf(pid) ?? 0), 0);
  const before = used();
  const rate = await loadOf(contestant, size, seconds);
  contestant.rates[size].push(rate);
  contestant.cpu[size].push(((used() - before) * 1e6) / (rate * seconds));
}

/** Files a second that came whole; anything else is a failure of the run. */
async function loadOf(contestant: Contestant, size: Size, seconds: number): Promise<number> {
  const { name, endpoint } = contestant;
  const files = await contestant.paths(size);
  const start = performance.now();
  const end = start + seconds * 1_000;
  const counts = await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, index) => {
      const connection = await HttpConnection.open(endpoint);
      let count = 0;
      for (; performance.now() < end; count += 1) {
        const path = files[(index * 7 + count) % files.length] as string;
        const answer = await connection.send({ method: 'GET', path });
        if (answer.status !== 200 || answer.size !== SIZES[size])
          throw new Error(`${name}: ${answer.status} with ${answer.size} bytes`);
      }
      connection.close();
      return count;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - start) / 1_000);
}
