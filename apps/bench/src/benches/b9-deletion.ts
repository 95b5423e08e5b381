import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { CloudApi } from '../load/cloud-api.js';
import { sendPacedRequests } from '../load/paced-requests.js';
import type { ServerEndpoint } from '../load/websocket.js';
import { percentilesOf, type Percentiles } from '../report/percentiles.js';
import { atMost, lineWithoutGoal, type BenchResult, type ResultLine } from '../report/result.js';
import type { BenchDatabase } from '../servers/bench-database.js';
import { seedContents } from '../servers/mcdisk-seed.js';
import type { BenchContext } from './bench-context.js';
import { CloudEnvironment, type CloudOwner } from './cloud-environment.js';

const CLOUDS = 200;
/** With 200 clouds: a million contents. */
const CONTENTS_PER_CLOUD = 5_000;
const QUICK_CONTENTS_PER_CLOUD = 1_200;
const IDS_PER_REQUEST = 200;
const [MEASURED_DELETIONS, QUICK_DELETIONS] = [600, 100];
const WARM_UP_DELETIONS = 60;
const [RECYCLED_CONTENTS, QUICK_RECYCLED_CONTENTS] = [100_000, 2_000];
const WARM_UP_MS = 5_000;
const OTHER_CLIENTS = 8;
const OTHER_REQUESTS_PER_SECOND = 80;
const EMPTYING_TIMEOUT_MS = 600_000;
const POLL_INTERVAL_MS = 100;

/**
 * Measures deleteContents in clouds with a million contents in total, and other clients' requests while a large recycle
 * bin is emptied.
 */
export async function runDeletionBenchmark(context: BenchContext): Promise<BenchResult> {
  const environment = await CloudEnvironment.start(context);
  const { endpoint } = await environment.startMcdisk();
  const owners = await environment.seedFamilies(CLOUDS);
  const contentsPerCloud = context.size(CONTENTS_PER_CLOUD, QUICK_CONTENTS_PER_CLOUD);
  await seedContents(
    environment.database,
    owners.map(({ cloudID, userId }) => ({ cloudID, userId, count: contentsPerCloud, state: 'ACTIVE' })),
  );
  const deletions = context.size(MEASURED_DELETIONS, QUICK_DELETIONS);
  const deleted = await measureDeletions(environment.database, endpoint, owners.slice(0, CLOUDS / 2), deletions);
  const lines = [
    atMost('B9', `deleteContents of ${IDS_PER_REQUEST} ids: p50`, deleted.p50, 8, 'ms'),
    atMost('B9', `deleteContents of ${IDS_PER_REQUEST} ids: p99`, deleted.p99, 20, 'ms'),
  ];
  const emptying = await measureEmptying(context, environment, endpoint, owners.slice(CLOUDS / 2));
  return {
    bench: 'B9',
    lines: [...lines, ...emptyingLines(emptying)],
    figures: { deleted, emptying, contents: contentsPerCloud * CLOUDS, clouds: CLOUDS },
  };
}

/** Sends deleteContents requests sequentially, each over its own connection as a phone does. */
async function measureDeletions(
  database: BenchDatabase,
  endpoint: ServerEndpoint,
  owners: readonly CloudOwner[],
  deletions: number,
): Promise<Percentiles> {
  const measured: number[] = [];
  for (let number = 0; number < deletions + WARM_UP_DELETIONS; number += 1) {
    const owner = owners[number % owners.length] as CloudOwner;
    const rows = await database.query<{ id: string }>(
      `SELECT content_id AS id FROM mcdisk.content WHERE cloud_id = $1 AND state = 'ACTIVE' ORDER BY random() LIMIT $2`,
      [owner.cloudID, IDS_PER_REQUEST],
    );
    const api = await CloudApi.open(endpoint, owner);
    const start = performance.now();
    const response = await api.call<{ deleteContIDList: string[] }>('deleteContents', {
      contentIDList: rows.map(({ id }) => id),
    });
    if (number >= WARM_UP_DELETIONS) measured.push(performance.now() - start);
    api.close();
    if (response.deleteContIDList.length !== IDS_PER_REQUEST)
      throw new Error('deleteContents did not delete all requested contents');
  }
  return percentilesOf(measured);
}

/** Latencies of other clients' requests while a recycle bin is emptied, in milliseconds. */
interface EmptyingResult {
  latencyBefore: Percentiles;
  latencyDuringEmptying: Percentiles;
  latencyAfter: Percentiles;
  /** Number of contents in the recycle bin. */
  recycled: number;
  /** Time until the recycle bin was empty, in seconds. */
  emptyingSeconds: number;
}

/** Measures other clients' requests before, during and after the contents of a large recycle bin are purged. */
async function measureEmptying(
  context: BenchContext,
  environment: CloudEnvironment,
  endpoint: ServerEndpoint,
  [cloudToEmpty, ...others]: readonly CloudOwner[],
): Promise<EmptyingResult> {
  if (!cloudToEmpty) throw new Error('At least one cloud is required for the recycle bin');
  const { seconds } = context.options;
  const recycled = context.size(RECYCLED_CONTENTS, QUICK_RECYCLED_CONTENTS);
  const { cloudID, userId } = cloudToEmpty;
  await seedContents(environment.database, [{ cloudID, userId, count: recycled, state: 'RECYCLED' }]);
  const apis = await environment.connect(endpoint, others.slice(0, OTHER_CLIENTS));
  const requests = apis.map((api) => createTypicalRequests(api, environment.database));
  const load = async (shouldStop: () => boolean): Promise<Percentiles> =>
    percentilesOf(await sendPacedRequests(requests, OTHER_REQUESTS_PER_SECOND, shouldStop));
  const loadFor = (milliseconds: number): Promise<Percentiles> => {
    const end = performance.now() + milliseconds;
    return load(() => performance.now() > end);
  };
  await loadFor(context.warmUpMs(WARM_UP_MS));
  const latencyBefore = await loadFor(seconds * 1_000);
  const [owner] = (await environment.connect(endpoint, [cloudToEmpty])) as [CloudApi];
  const start = performance.now();
  await owner.call('purgeContents', { all: true });
  let isEmpty = false;
  const emptying = waitUntilEmpty(environment.database, cloudID).finally(() => (isEmpty = true));
  const latencyDuringEmptying = await load(() => isEmpty);
  await emptying;
  const emptyingSeconds = (performance.now() - start) / 1_000;
  const latencyAfter = await loadFor(seconds * 1_000);
  return { latencyBefore, latencyDuringEmptying, latencyAfter, recycled, emptyingSeconds };
}

function emptyingLines({
  latencyBefore,
  latencyDuringEmptying,
  latencyAfter,
  recycled,
  emptyingSeconds,
}: EmptyingResult): ResultLine[] {
  const undisturbedP99 = (latencyBefore.p99 + latencyAfter.p99) / 2;
  return [
    atMost(
      'B9',
      'other requests: p99, during emptying / before and after',
      latencyDuringEmptying.p99 / undisturbedP99,
      1.2,
    ),
    lineWithoutGoal('B9', 'other requests: p99 before and after', undisturbedP99, 'ms'),
    lineWithoutGoal('B9', 'other requests: p99 during emptying', latencyDuringEmptying.p99, 'ms'),
    lineWithoutGoal(
      'B9',
      'other requests: p50, during emptying / before',
      latencyDuringEmptying.p50 / latencyBefore.p50,
    ),
    lineWithoutGoal(
      'B9',
      `time to empty a recycle bin of ${recycled.toLocaleString('en-US')} contents`,
      emptyingSeconds,
      's',
    ),
  ];
}

/**
 * Returns a function that sends the next typical request of an app: every tenth request deletes two files, a third of
 * the other requests list the cloud, the rest request a download URL.
 */
function createTypicalRequests(api: CloudApi, database: BenchDatabase): () => Promise<unknown> {
  let number = 0;
  let ids: string[] = [];
  return async () => {
    number += 1;
    if (ids.length < 3) {
      const { cloudContentList } = await api.call<{ cloudContentList: { contentID: string }[] }>(
        'queryContentList',
        {},
      );
      ids = cloudContentList.map(({ contentID }) => contentID);
      if (ids.length < 3) throw new Error(`No contents are left in cloud ${api.cloudID} of database ${database.name}`);
    }
    if (number % 10 === 0) return api.call('deleteContents', { contentIDList: ids.splice(0, 2) });
    if (number % 3 === 0) return api.call('queryContentList', { pageInfo: { pageNum: 1 + (number % 20) } });
    return api.downloadPath(ids[number % ids.length] as string);
  };
}

/** @throws Error when the recycle bin is not empty within ten minutes */
async function waitUntilEmpty(database: BenchDatabase, cloudID: string): Promise<void> {
  await waitUntil(
    'the recycle bin is empty',
    async () => {
      // Frequent queries would delay the measured requests.
      await sleep(POLL_INTERVAL_MS);
      const [row] = await database.query<{ hasContents: boolean }>(
        `SELECT EXISTS (SELECT FROM mcdisk.content WHERE cloud_id = $1 AND state = 'RECYCLED') AS "hasContents"`,
        [cloudID],
      );
      return row?.hasContents === false;
    },
    EMPTYING_TIMEOUT_MS,
  );
}
