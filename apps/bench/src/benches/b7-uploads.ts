import { randomFillSync } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CloudApi, pathOf } from '../load/cloud-api.js';
import type { AnnouncedFile } from '../load/cloud-api.js';
import { headerOf, HttpConnection } from '../load/http-connection.js';
import type { ServerEndpoint } from '../load/websocket.js';
import { medianOf } from '../report/percentiles.js';
import { atLeast, figure } from '../report/result.js';
import type { BenchResult } from '../report/result.js';
import { startBaselineFileServer } from '../servers/baseline/start-baseline-files.js';
import { measureCpu } from '../servers/cpu-meter.js';
import { startNginx } from '../servers/nginx.js';
import { cpuSecondsOf } from '../servers/process-figures.js';
import type { ServerProcess } from '../servers/server-process.js';
import type { BenchContext } from './bench-context.js';
import { CloudEnvironment } from './cloud-environment.js';
import type { CloudOwner } from './cloud-environment.js';

const LARGE = 64 * 1024 * 1024;
const SMALL = 100 * 1024;
const LARGE_A_ROUND = 6;
const CONNECTIONS = 16;
const ANNOUNCED_AT_ONCE = 100;
const TUS = { 'tus-resumable': '1.0.0' };
const APPEND = { ...TUS, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };

/** What a server takes: one large file, from the first request to its acknowledgement, and one small one. */
interface Contestant {
  name: string;
  large?(bytes: Buffer): Promise<void>;
  /** Sends small files over one connection until told to stop. @returns how many were acknowledged */
  small(bytes: Buffer, isOver: () => boolean): Promise<number>;
  /** Seconds of each large file; small files a second of each round. */
  seconds: number[];
  rates: number[];
  /** Microseconds of CPU time of all that serves, for each small file. */
  cpu: number[];
  /** CPU seconds of all that serves, from now until asked. */
  measureCpu(): Promise<() => Promise<number>>;
}

type Uploader = Omit<Contestant, 'measureCpu'>;

/** Files into the family cloud, hashed and synchronised, beside servers that do neither. */
export async function b7(context: BenchContext): Promise<BenchResult> {
  const { rounds, seconds } = context.options;
  const contestants = await startContestants(context);
  for (let round = 0; round <= rounds; round += 1) {
    for (const contestant of contestants) {
      await measure(contestant, seconds);
      // The first round warms up.
      if (round === 0) contestant.seconds.length = contestant.rates.length = contestant.cpu.length = 0;
    }
  }
  const [cloud, tus, , byTus] = contestants as [Contestant, Contestant, Contestant, Contestant];
  const lines = [
    atLeast('B7', '64 MiB by tus: bare @tus/server’s time to ours', medianOf(tus.seconds) / medianOf(cloud.seconds), 1),
    atLeast('B7', '100 KiB in one request: our rate to bare tus’', medianOf(cloud.rates) / medianOf(tus.rates), 2),
    figure('B7', '100 KiB in one request: our rate to ours by tus', medianOf(cloud.rates) / medianOf(byTus.rates)),
    ...contestants.flatMap(({ name, seconds: large, rates, cpu }) => [
      ...(large.length > 0 ? [figure('B7', `${name}: 64 MiB`, medianOf(large) * 1_000, 'ms')] : []),
      figure('B7', `${name}: files of 100 KiB a second`, medianOf(rates)),
      figure('B7', `${name}: CPU time of the server and its database a file of 100 KiB`, medianOf(cpu), 'µs'),
    ]),
  ];
  return {
    bench: 'B7',
    lines,
    figures: contestants.map(({ name, seconds: large, rates }) => ({ name, large, rates })),
  };
}

async function startContestants(context: BenchContext): Promise<Contestant[]> {
  const world = await CloudEnvironment.start(context);
  const mcdisk = await world.startMcdisk();
  const owners = await world.seedFamilies(CONNECTIONS);
  // A full cloud is not what is measured.
  await world.database.query('UPDATE mcdisk.family_cloud SET disk_size = 1::bigint << 50');
  const folders = { tus: join(context.folder, 'tus'), nginx: join(context.folder, 'dav') };
  for (const folder of Object.values(folders)) await mkdir(folder);
  const tus = await startBaselineFileServer('tus', folders.tus);
  const nginx = await startNginx({ folder: context.folder, files: folders.nginx });
  for (const { process: server } of [tus, nginx]) context.onClose(() => server.stop());
  const ofCloud = async () => {
    const end = await measureCpu([mcdisk.process], world.database);
    return async () => (await end()).total;
  };
  return [
    { ...cloudContestant(mcdisk.endpoint, owners), measureCpu: ofCloud },
    { ...tusContestant(tus.endpoint), measureCpu: () => Promise.resolve(cpuOf(tus.process)) },
    { ...davContestant(nginx.endpoint), measureCpu: () => Promise.resolve(cpuOf(nginx.process)) },
    { ...cloudByTus(mcdisk.endpoint, owners), measureCpu: ofCloud },
  ];
}

async function measure(contestant: Contestant, seconds: number): Promise<void> {
  const large = Buffer.allocUnsafe(LARGE);
  for (let time = 0; contestant.large && time < LARGE_A_ROUND; time += 1) {
    // Equal bytes are kept once in a family, and that is not what is measured.
    randomFillSync(large, 0, 4_096);
    const start = performance.now();
    await contestant.large(large);
    contestant.seconds.push((performance.now() - start) / 1_000);
  }
  const cpu = await contestant.measureCpu();
  const start = performance.now();
  const isOver = () => performance.now() - start > seconds * 1_000;
  const counts = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => contestant.small(randomFillSync(Buffer.allocUnsafe(SMALL)), isOver)),
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  contestant.rates.push(total / ((performance.now() - start) / 1_000));
  contestant.cpu.push(((await cpu()) * 1e6) / total);
}

function cpuOf({ pid }: ServerProcess): () => Promise<number> {
  const before = cpuSecondsOf(pid) ?? 0;
  return () => Promise.resolve((cpuSecondsOf(pid) ?? 0) - before);
}

function cloudContestant(endpoint: ServerEndpoint, owners: readonly CloudOwner[]): Uploader {
  const open = inTurn(endpoint, owners);
  return {
    name: 'family cloud',
    seconds: [],
    rates: [],
    cpu: [],
    async large(bytes) {
      const api = await open();
      const [file] = (await api.announce(1, bytes.length)) as [AnnouncedFile];
      await sent(api.connection, 'PATCH', pathOf(file.tusURL), { headers: APPEND, body: bytes });
      api.close();
    },
    small: (bytes, isOver) =>
      smallFiles(open, bytes, isOver, ({ connection }, { uploadURL }) =>
        sent(connection, 'PUT', pathOf(uploadURL), { body: bytes }),
      ),
  };
}

/** The same files by the way of large ones, to see what one request saves. */
function cloudByTus(endpoint: ServerEndpoint, owners: readonly CloudOwner[]): Uploader {
  const open = inTurn(endpoint, owners);
  return {
    name: 'family cloud by tus',
    seconds: [],
    rates: [],
    cpu: [],
    small: (bytes, isOver) =>
      smallFiles(open, bytes, isOver, ({ connection }, { tusURL }) =>
        sent(connection, 'PATCH', pathOf(tusURL), { headers: APPEND, body: bytes }),
      ),
  };
}

/** Each connection is that of the next owner: one cloud's row is not what is measured. */
function inTurn(endpoint: ServerEndpoint, owners: readonly CloudOwner[]): () => Promise<CloudApi> {
  let next = 0;
  return () => CloudApi.open(endpoint, owners[next++ % owners.length] as CloudOwner);
}

/** Announces and sends files over one connection until told to stop. @returns how many were acknowledged */
async function smallFiles(
  open: () => Promise<CloudApi>,
  bytes: Buffer,
  isOver: () => boolean,
  send: (api: CloudApi, file: AnnouncedFile) => Promise<void>,
): Promise<number> {
  const api = await open();
  let count = 0;
  let announced: AnnouncedFile[] = [];
  while (!isOver()) {
    if (announced.length === 0) announced = await api.announce(ANNOUNCED_AT_ONCE, bytes.length);
    bytes.writeUInt32LE((count += 1));
    await send(api, announced.pop() as AnnouncedFile);
  }
  api.close();
  return count;
}

function tusContestant(endpoint: ServerEndpoint): Uploader {
  const upload = async (connection: HttpConnection, bytes: Buffer): Promise<void> => {
    const created = await connection.send({
      method: 'POST',
      path: '/files',
      headers: { ...TUS, 'upload-length': String(bytes.length), 'content-length': '0' },
    });
    await sent(connection, 'PATCH', pathOf(headerOf(created, 'location')), { headers: APPEND, body: bytes });
  };
  return contestantOf('bare @tus/server', endpoint, upload);
}

function davContestant(endpoint: ServerEndpoint): Uploader {
  let number = 0;
  return contestantOf('nginx with dav', endpoint, (connection, bytes) =>
    sent(connection, 'PUT', `/files/${(number += 1)}.bin`, { body: bytes }),
  );
}

function contestantOf(
  name: string,
  endpoint: ServerEndpoint,
  upload: (connection: HttpConnection, bytes: Buffer) => Promise<void>,
): Uploader {
  return {
    name,
    seconds: [],
    rates: [],
    cpu: [],
    async large(bytes) {
      const connection = await HttpConnection.open(endpoint);
      await upload(connection, bytes);
      connection.close();
    },
    async small(bytes, isOver) {
      const connection = await HttpConnection.open(endpoint);
      let count = 0;
      for (; !isOver(); count += 1) await upload(connection, bytes);
      connection.close();
      return count;
    },
  };
}

/** @throws Error unless the server has taken it */
async function sent(
  connection: HttpConnection,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body: Buffer },
): Promise<void> {
  const { status, body: text } = await connection.send({ method, path, headers, body }, true);
  if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${status} ${text.toString()}`);
}
