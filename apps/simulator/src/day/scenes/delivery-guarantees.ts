import type { Location } from '@family-watch/domain/locations/contracts/location';
import { pollUntil } from '../../retry.js';
import type { StoredPoint } from '../../people/child-actions.js';
import { assert, type Scene } from '../scene.js';

export const everyPointAcknowledged: Scene = {
  expectation: 'the service acknowledges every reported point',
  run({ watch: { locationReporter }, walk: { points } }) {
    const [rejected] = locationReporter.rejectedPoints;
    if (rejected)
      throw new Error(`${locationReporter.rejectedPoints.length} rejected, the first with ${String(rejected.reason)}`);
    assert(
      locationReporter.acknowledgedCount === points.length,
      `${locationReporter.acknowledgedCount} of ${points.length}`,
    );
    return Promise.resolve(`${points.length} points`);
  },
};

export const everyPointStored: Scene = {
  expectation: 'the service stores every reported point once',
  async run({ child, walk: { points }, observer: { timeoutMs } }) {
    const [from, to] = [points[0]?.positionTime ?? 0, (points.at(-1)?.positionTime ?? 0) + 1];
    let stored: StoredPoint[] = [];
    // The gateway acknowledges a point before userctx, which returns the track, has received the event with the point.
    const areStored = async () => (stored = await child.listTrack(from, to)).length >= points.length || undefined;
    await pollUntil('the points to be stored', areStored, timeoutMs).catch(() => undefined);
    const byTime = new Map(stored.map((point) => [point.positionTime, point]));
    const missing = points.filter((point) => !isSameLocation(byTime.get(point.positionTime), point));
    assert(missing.length === 0, `${missing.length} of ${points.length} are missing`);
    assert(stored.length === points.length, `${stored.length} are stored, ${points.length} were reported`);
    return `${stored.length} of ${points.length} points${flagsOf(stored)}`;
  },
};

export const lastPointInGetChild: Scene = {
  expectation: 'GetChild returns the last point and the steps of the walk',
  async run({ child, watch, walk: { points }, observer: { timeoutMs } }) {
    const last = points.at(-1);
    const { steps } = watch.vitals;
    const findLastLocation = async () => {
      const returned = await child.getChild();
      return last && isSameLocation(returned?.lastLocation, last) && returned?.stepCount === steps
        ? returned.lastLocation
        : undefined;
    };
    const what = `GetChild to return the last point and ${steps} steps`;
    const location = await pollUntil(what, findLastLocation, timeoutMs);
    return `${location?.latitude}, ${location?.longitude}; ${steps} steps`;
  },
};

export const lastPointDelivered: Scene = {
  expectation: "the last point arrives on both adults' sockets",
  async run({ mother, granny, child, watch, walk: { points }, observer }) {
    const last = points.at(-1);
    const sentAt = watch.locationReporter.sentAt(last?.positionTime ?? 0) ?? 0;
    const delays: string[] = [];
    for (const person of [mother, granny]) {
      const arrived = await observer.waitFor(person.name, 'receives the last point of the walk', sentAt, () =>
        person.incoming
          .ofKind('LocationPointChangeMessage')
          .find(
            ({ message: { payload } }) => payload.cid === child.cid && last && isSameLocation(payload.location, last),
          ),
      );
      delays.push(`${person.name} after ${arrived.delayMs} ms`);
    }
    return delays.join(', ');
  },
};

export const contactUpdateDelivered: Scene = {
  expectation: 'a contact update arrives at the mother and at the watch',
  async run({ mother, watch, renamedContactId, observer }) {
    const version = await pollUntil(
      'the notice at the mother and at the watch',
      () => {
        const [atMother, atWatch] = [mother, watch].map(({ incoming }) =>
          incoming
            .ofKind('ContactsChangeNoticeMessage')
            .map(({ message: { payload } }) => payload)
            .find(({ refId, change }) => refId === renamedContactId && change === 'UPDATED'),
        );
        return atMother && atWatch && atMother.version === atWatch.version ? atMother.version : undefined;
      },
      observer.timeoutMs,
    );
    return `ContactsChangeNoticeMessage with version ${version} of the contacts on both sockets`;
  },
};

function isSameLocation(one: Location | StoredPoint | null | undefined, other: Location): boolean {
  return (
    one !== null &&
    one !== undefined &&
    one.positionTime === other.positionTime &&
    Number(one.latitude) === Number(other.latitude) &&
    Number(one.longitude) === Number(other.longitude)
  );
}

/** Returns the flags of the points with their counts, as text in parentheses; empty if there are no flags. */
function flagsOf(stored: readonly StoredPoint[]): string {
  const flags = stored.flatMap((point) => point.flags);
  const counted = [...Map.groupBy(flags, (flag) => flag)].map(([flag, equalFlags]) => `${flag} ${equalFlags.length}`);
  return counted.length > 0 ? ` (${counted.join(', ')})` : '';
}
