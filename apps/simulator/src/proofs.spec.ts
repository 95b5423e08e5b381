import { describe, expect, it } from '@jest/globals';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { prove, unproven } from './proofs.js';
import type { Played } from './proofs.js';

const CID = 'child';
const REF = 'grandmother';

const POINTS = [1, 2, 3].map((time): Location => ({
  latitude: `45.${time}000000`,
  longitude: '14.0000000',
  positionTime: time,
  radius: 10,
  pointType: 1,
}));

const stored = POINTS.map((point) => ({ ...point, flags: [], receivedAt: 9 }));
const [, , last] = POINTS;
const notice = { did: 1, version: 4, change: 'UPDATED', refId: REF };

/** A demo in which everything went well, but for what is given. */
function played(parent: object = {}, watch: object = {}, file: object = {}): Played {
  let listed = true;
  const demo = {
    parent: {
      ...{ positions: [{ cid: CID, location: last }], contactChanges: [notice], timesReconnected: 0 },
      track: () => Promise.resolve(stored),
      child: () => Promise.resolve({ cid: CID, lastLocation: last }),
      alarms: () => Promise.resolve({ version: 1, state: 'APPLIED', items: [{}] }),
      ...parent,
    },
    watch: { acknowledged: 3, refused: [], contactChanges: [notice], timesReconnected: 0, ...watch },
    file: {
      bytes: Buffer.alloc(1),
      upload: () => Promise.resolve(),
      isListed: () => Promise.resolve(listed),
      isDownloadedUnchanged: () => Promise.resolve(true),
      delete: () => Promise.resolve(!(listed = false)),
      ...file,
    },
  };
  return { ...(demo as unknown as Pick<Played, 'parent' | 'watch' | 'file'>), ...REST };
}

const REST = { cid: CID, points: POINTS, refId: REF, patience: 0 };

async function broken(...what: Parameters<typeof played>): Promise<string[]> {
  const proofs = await prove(played(...what));
  expect(proofs.map(({ name }) => name)).toEqual(unproven().map(({ name }) => name));
  return proofs.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
}

describe('the proofs', () => {
  it('hold when everything is there', async () => {
    expect(await broken()).toEqual([]);
  });

  it.each([
    ['a point too few', stored.slice(1), '1 of 3 are missing'],
    ['a point at another place', [{ ...stored[0], latitude: '44' }, ...stored.slice(1)], '1 of 3 are missing'],
    ['a point twice', [...stored, stored[0]], '4 are stored, 3 were reported'],
  ])('notice %s', async (_, track, detail) => {
    expect(await broken({ track: () => Promise.resolve(track) })).toEqual([
      `every reported point is stored, once: ${detail}`,
    ]);
  });

  it('notice a point that was not acknowledged, and one that was refused', async () => {
    expect(await broken({}, { acknowledged: 2 })).toEqual(['every reported point was acknowledged: 2 of 3']);
    const refused = [{ point: last, reason: 'NOT_BOUND_THEN' }];
    expect(await broken({}, { refused })).toEqual([
      'every reported point was acknowledged: 1 refused, the first with NOT_BOUND_THEN',
    ]);
  });

  it.each([
    ['no alarm', { version: 0, state: 'APPLIED', items: [] }],
    ['an alarm that the watch does not apply', { version: 1, state: 'PENDING', items: [{}] }],
    ['one that it rejects', { version: 1, state: 'REJECTED', items: [{}] }],
  ])('notice %s', async (_, alarms) => {
    expect(await broken({ alarms: () => Promise.resolve(alarms) })).toEqual([
      'an alarm was set, and applied by the watch: waited 0 s for the watch to apply its alarms',
    ]);
  });

  it('notice a last point that is not shown, or did not arrive', async () => {
    const child = () => Promise.resolve({ cid: CID, lastLocation: POINTS[0] });
    expect(await broken({ child })).toEqual([
      'GetChild shows the last point: waited 0 s for GetChild to show the last point',
    ]);
    expect(await broken({ positions: [{ cid: CID, location: POINTS[0] }] })).toHaveLength(1);
  });

  it('notice a contact update that one of the two did not hear of', async () => {
    expect(await broken({ contactChanges: [] })).toHaveLength(1);
    expect(await broken({}, { contactChanges: [{ ...notice, change: 'CREATED' }] })).toHaveLength(1);
    expect(await broken({}, { contactChanges: [{ ...notice, refId: 'other' }] })).toHaveLength(1);
  });

  it('notice a file that is not listed, came back changed, was not deleted, or is still there', async () => {
    const no = () => Promise.resolve(false);
    const yes = () => Promise.resolve(true);
    expect(await broken({}, {}, { isListed: no })).toEqual([
      'a file was uploaded and listed: the file is not in the list',
    ]);
    expect(await broken({}, {}, { isDownloadedUnchanged: no })).toHaveLength(1);
    expect(await broken({}, {}, { delete: no })).toHaveLength(1);
    expect(await broken({}, {}, { isListed: yes })).toEqual([
      'the file was deleted (deleteContents): the file is still in the list',
    ]);
  });
});
