import { describe, expect, test } from '@jest/globals';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { Narrator } from '../../narrator.js';
import { runScenes } from '../scene.js';
import type { SchoolDay } from '../school-day.js';
import { DeliveryObserver } from '../delivery-observer.js';
import {
  everyPointAcknowledged,
  everyPointStored,
  contactUpdateDelivered,
  lastPointDelivered,
  lastPointInGetChild,
} from './delivery-guarantees.js';

const CHECKS = [
  everyPointAcknowledged,
  everyPointStored,
  lastPointInGetChild,
  lastPointDelivered,
  contactUpdateDelivered,
];
const CID = 'child';
const CONTACT_REF_ID = 'grandmother';
const STEP_COUNT = 20;

const POINTS = [1, 2, 3].map((time): Location => ({
  latitude: `45.${time}000000`,
  longitude: '14.0000000',
  positionTime: time,
  radius: 10,
  pointType: 1,
}));
const [, , LAST_POINT] = POINTS;
const STORED_POINTS = POINTS.map((point) => ({ ...point, flags: [], receivedAt: 9 }));
const NOTICE = { did: 1, version: 4, change: 'UPDATED', refId: CONTACT_REF_ID };

/**
 * Creates the messages that a client has received: a message with the location, and a notice about a changed contact.
 */
function createIncoming(location: Location | undefined, change: object | undefined = NOTICE) {
  const byKind: Record<string, unknown[]> = {
    LocationPointChangeMessage: location ? [{ cid: CID, location }] : [],
    ContactsChangeNoticeMessage: change ? [change] : [],
  };
  const ofKind = (kind: string) => (byKind[kind] ?? []).map((payload) => ({ observedAt: 5, message: { payload } }));
  return { incoming: { ofKind } };
}

const locationReporter = { acknowledgedCount: 3, rejectedPoints: [] as object[], sentAt: () => 4 };
const silentNarrator = new Narrator({ write: () => true } as unknown as NodeJS.WritableStream);

/** Creates a day whose completed walk meets every guarantee. `change` replaces properties of the day. */
function createDay(change: object = {}): SchoolDay {
  return {
    mother: { name: 'mother', ...createIncoming(LAST_POINT) },
    granny: { name: 'granny', ...createIncoming(LAST_POINT) },
    child: createChild({}),
    watch: { locationReporter, vitals: { steps: STEP_COUNT }, ...createIncoming(undefined) },
    walk: { points: POINTS },
    renamedContactId: CONTACT_REF_ID,
    observer: new DeliveryObserver(silentNarrator, 0),
    ...change,
  } as unknown as SchoolDay;
}

function createChild(change: object) {
  return {
    cid: CID,
    listTrack: () => Promise.resolve(STORED_POINTS),
    getChild: () => Promise.resolve({ cid: CID, lastLocation: LAST_POINT, stepCount: STEP_COUNT }),
    ...change,
  };
}

async function findUnmetGuarantees(change: object = {}): Promise<string[]> {
  const results = await runScenes(CHECKS, createDay(change));
  return results.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
}

describe('delivery guarantees of the demo', () => {
  test('are met by a complete walk', async () => {
    expect(await findUnmetGuarantees()).toEqual([]);
  });

  test.each([
    ['a missing point', STORED_POINTS.slice(1), '1 of 3 are missing'],
    [
      'a point with other coordinates',
      [{ ...STORED_POINTS[0], latitude: '44' }, ...STORED_POINTS.slice(1)],
      '1 of 3 are missing',
    ],
    ['a duplicate point', [...STORED_POINTS, STORED_POINTS[0]], '4 are stored, 3 were reported'],
  ])('are not met when the track has %s', async (_, track, detail) => {
    expect(await findUnmetGuarantees({ child: createChild({ listTrack: () => Promise.resolve(track) }) })).toEqual([
      `the service stores every reported point once: ${detail}`,
    ]);
  });

  test('are not met when a point was not acknowledged or was rejected', async () => {
    const watch = (reported: object) => ({
      ...createDay().watch,
      locationReporter: { ...locationReporter, ...reported },
    });
    expect(await findUnmetGuarantees({ watch: watch({ acknowledgedCount: 2 }) })).toEqual([
      'the service acknowledges every reported point: 2 of 3',
    ]);
    expect(
      await findUnmetGuarantees({
        watch: watch({ rejectedPoints: [{ point: LAST_POINT, reason: 'NOT_BOUND_THEN' }] }),
      }),
    ).toEqual(['the service acknowledges every reported point: 1 rejected, the first with NOT_BOUND_THEN']);
  });

  test.each([
    ['another point', { lastLocation: POINTS[0], stepCount: STEP_COUNT }],
    ['no point', { lastLocation: null, stepCount: STEP_COUNT }],
    ['fewer steps', { lastLocation: LAST_POINT, stepCount: STEP_COUNT - 1 }],
  ])('are not met when GetChild returns %s', async (_, returned) => {
    expect(await findUnmetGuarantees({ child: createChild({ getChild: () => Promise.resolve(returned) }) })).toEqual([
      `${lastPointInGetChild.expectation}: waited 0 s for GetChild to return the last point and ${STEP_COUNT} steps`,
    ]);
  });

  test('are not met when one of the adults did not receive the last point', async () => {
    expect(await findUnmetGuarantees({ granny: { name: 'granny', ...createIncoming(POINTS[0]) } })).toEqual([
      `${lastPointDelivered.expectation}: waited 0 s for granny, who receives the last point of the walk`,
    ]);
  });

  test.each([
    ['no notice', undefined],
    ['a notice of another change', { ...NOTICE, change: 'CREATED' }],
    ['a notice about another contact', { ...NOTICE, refId: 'other' }],
    ['a notice with another version', { ...NOTICE, version: 3 }],
  ])('are not met when a contact was updated and the watch received %s', async (_, change) => {
    const watch = {
      ...createDay().watch,
      incoming: { ofKind: () => (change ? [{ message: { payload: change } }] : []) },
    };
    expect(await findUnmetGuarantees({ watch })).toHaveLength(1);
  });
});
