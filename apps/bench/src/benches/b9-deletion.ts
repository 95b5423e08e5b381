import { CloudApi } from '../load/cloud-api.js';
import { pacedRequests } from '../load/paced-requests.js';
import type { ServerEndpoint } from '../load/websocket.js';
import { percentilesOf } from '../report/percentiles.js';
import type { Percentiles } from '../report/percentiles.js';
import { atMost, figure } from '../report/result.js';
import type { BenchResult, ResultLine } from '../report/result.js';
import type { BenchDatabase } from '../servers/bench-database.js';
import { seedContents } from '../servers/mcdisk-seed.js';
import { waitUntil } from '../servers/server-process.js';
import type { BenchContext } from './bench-context.js';
import { CloudEnvironment } from './cloud-environment.js';
import type { CloudOwner } from './cloud-environment.js';

const CONTENTS = 1_000_000;
const CLOUDS = 200;
const CONTENTS_OF_CLOUD = CONTENTS / CLOUDS;
const IDS = 200;
const DELETIONS = 600;
const WARM_UP = 60;
const RECYCLED = 100_000;
const WARM_UP_MS = 5_000;
const OTHERS = 8;
const OTHERS_PER_SECOND = 80;
const EMPTYING_LIMIT_MS = 600_000;

/** deleteContents among a million contents; then a large recycle bin is emptied while others go on. */
export async function b9(context: BenchContext): Promise<BenchResult> {
  const world = await CloudEnvironment.start(context);
  const { endpoint } = await world.startMcdisk();
  const owners = await world.seedFamilies(CLOUDS);
  await seedContents(
    world.database,
    owners.map(({ cloudID, userId }) => ({ cloudID, userId, count: CONTENTS_OF_CLOUD, state: 'ACTIVE' })),
  );
  const deleted = await deletions(world.database, endpoint, owners.slice(0, CLOUDS / 2));
  const lines = [
    atMost('B9', `deleteContents of ${IDS} ids: 50 % within`, deleted.p50, 8, 'ms'),
    atMost('B9', `deleteContents of ${IDS} ids: 99 % within`, deleted.p99, 20, 'ms'),
  ];
  const emptying = await emptied(context, world, endpoint, owners.slice(CLOUDS / 2));
  return {
    bench: 'B9',
    lines: [...lines, ...linesOf(emptying)],
    figures: { deleted, emptying, contents: CONTENTS, clouds: CLOUDS },
  };
}

/** One after the other, over one connection each, as a phone does. */
async function deletions(
  database: BenchDatabase,
  endpoint: ServerEndpoint,
  owners: readonly CloudOwner[],
): Promise<Percentiles> {
  const measured: number[] = [];
  for (let number = 0; number < DELETIONS + WARM_UP; number += 1) {
    const owner = owners[number % owners.length] as CloudOwner;
    const rows = await database.query<{ id: string }>(
      `SELECT content_id AS id FROM mcdisk.content WHERE cloud_id = $1 AND state = 'ACTIVE' ORDER BY random() LIMIT $2`,
      [owner.cloudID, IDS],
    );
    const api = await CloudApi.open(endpoint, owner);
    const start = performance.now();
    const answer = await api.call<{ deleteContIDList: string[] }>('deleteContents', {
      contentIDList: rows.map(({ id }) => id),
    });
    if (number >= WARM_UP) measured.push(performance.now() - start);
    api.close();
    if (answer.deleteContIDList.length !== IDS) throw new Error('Not every content was deleted');
  }
  return percentilesOf(measured);
}

interface Emptying {
  before: Percentiles;
  meanwhile: Percentiles;
  after: Percentiles;
  /** Seconds. */
  took: number;
}

/** Others' requests before, while and after 100,000 contents leave a recycle bin. */
async function emptied(
  { options: { seconds } }: BenchContext,
  world: CloudEnvironment,
  endpoint: ServerEndpoint,
  [full, ...others]: readonly CloudOwner[],
): Promise<Emptying> {
  if (!full) throw new Error('Somebody has to have a recycle bin');
  const { cloudID, userId } = full;
  await seedContents(world.database, [{ cloudID, userId, count: RECYCLED, state: 'RECYCLED' }]);
  const apis = await world.connect(endpoint, others.slice(0, OTHERS));
  const requests = apis.map((api) => everyday(api, world.database));
  const load = async (isOver: () => boolean): Promise<Percentiles> =>
    percentilesOf(await pacedRequests(requests, OTHERS_PER_SECOND, isOver));
  const during = (milliseconds: number): Promise<Percentiles> => {
    const end = performance.now() + milliseconds;
    return load(() => performance.now() > end);
  };
  await during(WARM_UP_MS);
  const before = await during(seconds * 1_000);
  const [owner] = (await world.connect(endpoint, [full])) as [CloudApi];
  const start = performance.now();
  await owner.call('purgeContents', { all: true });
  let isEmpty = false;
  const emptying = untilEmpty(world.database, cloudID).finally(() => (isEmpty = true));
  const meanwhile = await load(() => isEmpty);
  await emptying;
  const took = (performance.now() - start) / 1_000;
  return { before, meanwhile, after: await during(seconds * 1_000), took };
}

function linesOf({ before, meanwhile, after, took }: Emptying): ResultLine[] {
  const calm = (before.p99 + after.p99) / 2;
  return [
    atMost('B9', 'others’ p99 while a recycle bin is emptied, to that before and after', meanwhile.p99 / calm, 1.2),
    figure('B9', 'others’ p99 before and after', calm, 'ms'),
    figure('B9', 'others’ p99 meanwhile', meanwhile.p99, 'ms'),
    figure('B9', 'others’ median meanwhile, to that before', meanwhile.p50 / before.p50),
    figure('B9', `a recycle bin of ${RECYCLED.toLocaleString('en-US')} is empty after`, took, 's'),
  ];
}

/** What people do: look into their cloud, look at a file, delete a few. */
function everyday(api: CloudApi, database: BenchDatabase): () => Promise<unknown> {
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
      if (ids.length < 3) throw new Error(`Nothing is left in ${api.cloudID} of ${database.name}`);
    }
    if (number % 10 === 0) return api.call('deleteContents', { contentIDList: ids.splice(0, 2) });
    if (number % 3 === 0) return api.call('queryContentList', { pageInfo: { pageNum: 1 + (number % 20) } });
    return api.downloadPath(ids[number % ids.length] as string);
  };
}

/** @throws Error when it takes too long */
async function untilEmpty(database: BenchDatabase, cloudID: string): Promise<void> {
  await waitUntil(
    'the recycle bin is empty',
    async () => {
      const [row] = await database.query<{ left: boolean }>(
        `SELECT EXISTS (SELECT FROM mcdisk.content WHERE cloud_id = $1 AND state = 'RECYCLED') AS left`,
        [cloudID],
      );
      return row?.left === false;
    },
    EMPTYING_LIMIT_MS,
  );
}
