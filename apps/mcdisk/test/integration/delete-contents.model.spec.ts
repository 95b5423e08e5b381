import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { CloudClient } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { member, sampleFamily, user } from '../support/family.js';
import { quotaOf, seedContents, statesOf } from '../support/seeded-contents.js';

/** A content as the model knows it: whose it is, where it lies and what became of it. */
interface Known {
  cid: string | null;
  folder: readonly string[];
  state: 'ACTIVE' | 'RECYCLED' | 'PURGED';
}

type Caller = 'owner' | 'guardian' | 'halfBlind' | 'caregiver' | 'contact' | 'watch';

const DELETING: readonly Caller[] = ['owner', 'guardian', 'halfBlind', 'watch'];
const TWINS = 2;

describe('deleteContents, whoever asks for whatever', () => {
  const family = sampleFamily();
  const { cloudID } = family;
  const [hiddenCid] = [family.cids[1]];
  const known = new Map<string, Known>();
  const paths = new Map<string, readonly string[] | undefined>();
  let folders: string[];
  let foreign: string[];
  let clients: Record<Caller, CloudClient>;
  let server: CloudServer;

  beforeAll(async () => {
    server = await CloudServer.start();
    const halfBlind = user();
    family.snapshot.members.push(member(halfBlind, FAMILY_ROLE.GUARDIAN, { childPermissions: { [hiddenCid]: [] } }));
    await server.familyChanged(family.snapshot);
    const callers = { ...family, halfBlind, watch: family.watches[0] ?? family.owner };
    const clientOf = (caller: Caller) => CloudClient.of(server, callers[caller]);
    clients = {
      owner: await clientOf('owner'),
      guardian: await clientOf('guardian'),
      halfBlind: await clientOf('halfBlind'),
      caregiver: await clientOf('caregiver'),
      contact: await clientOf('contact'),
      watch: await clientOf('watch'),
    };
    await settle();
  });
  afterAll(() => server.stop());

  /** Some contents of each child, in each folder; a few of another family; and every way to name a place. */
  async function settle(): Promise<void> {
    const top = await folder('top', '');
    const inner = await folder('inner', top);
    folders = [top, inner];
    for (const chain of [[], [top], [top, inner]]) {
      for (const cid of [null, ...family.cids]) {
        const ids = await seedContents(server, cloudID, 20, {
          cid,
          parentFolderId: chain.at(-1) ?? null,
          copies: TWINS,
        });
        for (const id of ids) known.set(id, { cid, folder: chain, state: 'ACTIVE' });
      }
      paths.set(['root:', ...chain].join('/'), chain);
      paths.set(`${['root:', ...chain].join('/')}/`, chain);
    }
    for (const nowhere of [`root:/${inner}`, `root:/${randomUUID()}`, '../', '/', 'root', `root:/${top}/..`]) {
      paths.set(nowhere, undefined);
    }
    paths.set('', []);
    const other = sampleFamily();
    await server.familyChanged(other.snapshot);
    foreign = await seedContents(server, other.cloudID, 5);
  }

  async function folder(catalogName: string, parentCatalogID: string): Promise<string> {
    const request = { cloudID, catalogName, parentCatalogID };
    const { body } = await clients.owner.post<{ catalogID: string }>('createCloudDoc', request);
    return body.data.catalogID;
  }

  /** What the specification says about one id, in the order of its table. */
  function isDeleted(id: string, caller: Caller, top: readonly string[] | undefined): boolean {
    const content = known.get(id);
    if (!content || !DELETING.includes(caller)) return false;
    if (caller === 'halfBlind' && content.cid === hiddenCid) return false;
    if (content.state !== 'ACTIVE') return true;
    return top !== undefined && top.every((each, depth) => content.folder[depth] === each);
  }

  test('the lists are disjoint, in order, together the distinct input, and say what became of it', async () => {
    const id = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...known.keys()) },
      { weight: 1, arbitrary: fc.constantFrom(...foreign, ...folders) },
      { weight: 1, arbitrary: fc.oneof(fc.uuid(), fc.string({ unit: 'binary', maxLength: 20 })) },
    );
    const request = fc.record({
      caller: fc.constantFrom<Caller>('owner', 'guardian', 'halfBlind', 'caregiver', 'contact', 'watch'),
      path: fc.constantFrom(...paths.keys()),
      ids: fc.array(id, { minLength: 1, maxLength: 12 }),
      purge: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ caller, path, ids, purge }) => {
        const distinct = [...new Set(ids)];
        const deleted = distinct.filter((each) => isDeleted(each, caller, paths.get(path)));
        const { status, body } = await clients[caller].delete(cloudID, ids, { path });
        expect([status, body.data]).toEqual([
          200,
          { deleteContIDList: deleted, failureContIDList: distinct.filter((each) => !deleted.includes(each)) },
        ]);
        for (const each of deleted) tell(each, 'RECYCLED');
        if (purge && caller === 'owner') {
          await clients.owner.post('purgeContents', { cloudID, contentIDList: ids });
          for (const each of distinct) if (known.get(each)?.state === 'RECYCLED') tell(each, 'PURGED');
        }
        await expectAsKnown();
      }),
      { numRuns: propertyRuns(13) },
    );
    expect(new Set((await statesOf(server, foreign)).values())).toEqual(new Set(['ACTIVE']));
  }, 360_000);

  function tell(id: string, state: Known['state']): void {
    const content = known.get(id);
    if (content && content.state !== 'PURGED') content.state = state;
  }

  async function expectAsKnown(): Promise<void> {
    const states = await statesOf(server, [...known.keys()]);
    expect(states).toEqual(new Map([...known].map(([each, { state }]) => [each, state])));
    const { said, counted } = await quotaOf(server, cloudID);
    expect(said).toEqual(counted);
  }
});
