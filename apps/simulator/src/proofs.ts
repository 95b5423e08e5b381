import type { Location } from '@family-watch/domain/locations/contracts/location';
import type { FileRoundTrip } from './file-round-trip.js';
import type { Parent, StoredPoint } from './parent.js';
import { eventually, PATIENCE_MS } from './patience.js';
import type { Watch } from './watch.js';

/** Something the demo promises, and whether it is so. */
export interface Proof {
  name: string;
  ok: boolean;
  /** Numbers, or what is missing. */
  detail: string;
}

/** What was played. */
export interface Played {
  parent: Parent;
  watch: Watch;
  cid: string;
  points: readonly Location[];
  /** The contact that was renamed. */
  refId: string;
  file: FileRoundTrip;
  /** Milliseconds to wait for what takes its way through the service. */
  patience?: number;
}

type Check = (played: Played) => Promise<string>;

const CHECKS: Readonly<Record<string, Check>> = {
  'every reported point was acknowledged': allAcknowledged,
  'every reported point is stored, once': allStored,
  'GetChild shows the last point': lastShown,
  "the last point reached the parent's socket": lastDelivered,
  'a contact update reached parent and watch': contactUpdateDelivered,
  'an alarm was set, and applied by the watch': alarmApplied,
  'a file was uploaded and listed': fileListed,
  'the file came back byte by byte': fileUnchanged,
  'the file was deleted (deleteContents)': fileDeleted,
};

/** Checks every promise; one that fails hides none of the others. */
export async function prove(played: Played): Promise<Proof[]> {
  const proofs: Proof[] = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    try {
      proofs.push({ name, ok: true, detail: await check(played) });
    } catch (error) {
      proofs.push({ name, ok: false, detail: error instanceof Error ? error.message : String(error) });
    }
  }
  return proofs;
}

/** All promises as broken, for a demo that did not get to its end. */
export function unproven(): Proof[] {
  return Object.keys(CHECKS).map((name) => ({ name, ok: false, detail: 'the demo did not get this far' }));
}

function allAcknowledged({ watch, points }: Played): Promise<string> {
  const [refused] = watch.refused;
  if (refused) throw new Error(`${watch.refused.length} refused, the first with ${String(refused.reason)}`);
  assert(watch.acknowledged === points.length, `${watch.acknowledged} of ${points.length}`);
  return Promise.resolve(`${points.length} points, ${watch.timesReconnected} reconnections`);
}

async function allStored({ parent, cid, points, patience = PATIENCE_MS }: Played): Promise<string> {
  const [from, to] = [points[0]?.positionTime ?? 0, (points.at(-1)?.positionTime ?? 0) + 1];
  let stored: StoredPoint[] = [];
  // An acknowledged point is on disk in the gateway and takes a moment to where it is read.
  await eventually(
    'the points to be stored',
    async () => {
      stored = await parent.track(cid, from, to);
      return stored.length >= points.length || undefined;
    },
    patience,
  ).catch(() => undefined);
  const byTime = new Map(stored.map((point) => [point.positionTime, point]));
  const missing = points.filter((point) => !isSame(byTime.get(point.positionTime), point));
  assert(missing.length === 0, `${missing.length} of ${points.length} are missing`);
  assert(stored.length === points.length, `${stored.length} are stored, ${points.length} were reported`);
  return `${stored.length} of ${points.length} points${flagsOf(stored)}`;
}

async function lastShown({ parent, cid, points, patience }: Played): Promise<string> {
  const last = points.at(-1);
  const shown = await eventually(
    'GetChild to show the last point',
    async () => {
      const location = (await parent.child(cid))?.lastLocation;
      return location && last && isSame(location, last) ? location : undefined;
    },
    patience,
  );
  return `${shown.latitude}, ${shown.longitude}`;
}

async function lastDelivered({ parent, cid, points, patience }: Played): Promise<string> {
  const last = points.at(-1);
  await eventually(
    "the last point at the parent's socket",
    () => (parent.positions.some((seen) => seen.cid === cid && last && isSame(seen.location, last)) ? true : undefined),
    patience,
  );
  return `${parent.positions.length} positions arrived, ${parent.timesReconnected} reconnections`;
}

async function contactUpdateDelivered({ parent, watch, refId: renamed, patience }: Played): Promise<string> {
  const version = await eventually(
    'the notice at parent and watch',
    () => {
      const [atParent, atWatch] = [parent, watch].map(({ contactChanges }) =>
        contactChanges.find(({ refId, change }) => refId === renamed && change === 'UPDATED'),
      );
      return atParent && atWatch && atParent.version === atWatch.version ? atParent.version : undefined;
    },
    patience,
  );
  return `ContactsChangeNoticeMessage with version ${version} of the contacts on both sockets`;
}

async function alarmApplied({ parent, watch, patience }: Played): Promise<string> {
  const { version, items } = await eventually(
    'the watch to apply its alarms',
    async () => {
      const alarms = await parent.alarms(watch.did);
      return alarms.items.length > 0 && alarms.state === 'APPLIED' ? alarms : undefined;
    },
    patience,
  );
  return `version ${version} with ${items.length} alarm`;
}

async function fileListed({ file }: Played): Promise<string> {
  await file.upload();
  assert(await file.isListed(), 'the file is not in the list');
  return `${file.bytes.length} bytes`;
}

async function fileUnchanged({ file }: Played): Promise<string> {
  assert(await file.isDownloadedUnchanged(), 'other bytes came back');
  return `${file.bytes.length} bytes compared`;
}

async function fileDeleted({ file }: Played): Promise<string> {
  assert(await file.delete(), 'the file is not among the deleted');
  assert(!(await file.isListed()), 'the file is still in the list');
  return 'named in deleteContIDList, gone from the list';
}

function isSame(one: Location | StoredPoint | undefined, other: Location): boolean {
  return (
    one !== undefined &&
    one.positionTime === other.positionTime &&
    Number(one.latitude) === Number(other.latitude) &&
    Number(one.longitude) === Number(other.longitude)
  );
}

function flagsOf(stored: readonly StoredPoint[]): string {
  const flags = stored.flatMap((point) => point.flags);
  const counted = [...Map.groupBy(flags, (flag) => flag)].map(([flag, those]) => `${flag} ${those.length}`);
  return counted.length > 0 ? ` (${counted.join(', ')})` : '';
}

function assert(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
