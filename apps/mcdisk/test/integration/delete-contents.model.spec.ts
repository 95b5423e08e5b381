import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { CloudClient } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { memberSnapshot, sampleFamily, createUser } from '../support/family.js';
import { findUsage, seedContents, findStates } from '../support/seeded-contents.js';

/** A content in the model: its child, the path of its folder and its state. */
interface ModelContent {
  cid: string | null;
  folder: readonly string[];
  state: 'ACTIVE' | 'RECYCLED' | 'PURGED';
}

type CallerRole = 'owner' | 'guardian' | 'restrictedGuardian' | 'caregiver' | 'contact' | 'watch';

const ROLES_WITH_DELETE_RIGHT: readonly CallerRole[] = ['owner', 'guardian', 'restrictedGuardian', 'watch'];
const CONTENTS_PER_BLOB = 2;

describe('deleteContents compared with an in-memory model', () => {
  const family = sampleFamily();
  const { cloudID } = family;
  const [hiddenCid] = [family.cids[1]];
  const contents = new Map<string, ModelContent>();
  const paths = new Map<string, readonly string[] | undefined>();
  let folders: string[];
  let foreign: string[];
  let clients: Record<CallerRole, CloudClient>;
  let server: CloudServer;

  beforeAll(async () => {
    server = await CloudServer.start();
    const restrictedGuardian = createUser();
    family.snapshot.members.push(
      memberSnapshot(restrictedGuardian, FAMILY_ROLE.GUARDIAN, { childPermissions: { [hiddenCid]: [] } }),
    );
    await server.publishFamily(family.snapshot);
    const callers = { ...family, restrictedGuardian, watch: family.watches[0] ?? family.owner };
    const clientOf = (caller: CallerRole) => CloudClient.create(server, callers[caller]);
    clients = {
      owner: await clientOf('owner'),
      guardian: await clientOf('guardian'),
      restrictedGuardian: await clientOf('restrictedGuardian'),
      caregiver: await clientOf('caregiver'),
      contact: await clientOf('contact'),
      watch: await clientOf('watch'),
    };
    await seedContentsOfModel();
  });
  afterAll(() => server.stop());

  /** Seeds contents of each child in each folder and contents of another family. Collects valid and invalid paths. */
  async function seedContentsOfModel(): Promise<void> {
    const top = await createFolder('top', '');
    const inner = await createFolder('inner', top);
    folders = [top, inner];
    for (const pathIds of [[], [top], [top, inner]]) {
      for (const cid of [null, ...family.cids]) {
        const ids = await seedContents(server, cloudID, 20, {
          cid,
          parentFolderId: pathIds.at(-1) ?? null,
          contentsPerBlob: CONTENTS_PER_BLOB,
        });
        for (const id of ids) contents.set(id, { cid, folder: pathIds, state: 'ACTIVE' });
      }
      paths.set(['root:', ...pathIds].join('/'), pathIds);
      paths.set(`${['root:', ...pathIds].join('/')}/`, pathIds);
    }
    for (const invalidPath of [`root:/${inner}`, `root:/${randomUUID()}`, '../', '/', 'root', `root:/${top}/..`]) {
      paths.set(invalidPath, undefined);
    }
    paths.set('', []);
    const other = sampleFamily();
    await server.publishFamily(other.snapshot);
    foreign = await seedContents(server, other.cloudID, 5);
  }

  async function createFolder(catalogName: string, parentCatalogID: string): Promise<string> {
    const request = { cloudID, catalogName, parentCatalogID };
    const { body } = await clients.owner.post<{ catalogID: string }>('createCloudDoc', request);
    return body.data.catalogID;
  }

  /** Returns whether deleteContents must list the id as deleted. Checks the rules in the order of the specification. */
  function isDeleted(id: string, caller: CallerRole, top: readonly string[] | undefined): boolean {
    const content = contents.get(id);
    if (!content || !ROLES_WITH_DELETE_RIGHT.includes(caller)) return false;
    if (caller === 'restrictedGuardian' && content.cid === hiddenCid) return false;
    if (content.state !== 'ACTIVE') return true;
    return top !== undefined && top.every((one, depth) => content.folder[depth] === one);
  }

  test('returns each distinct id in the list that matches its state, in request order, for any request', async () => {
    const id = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...contents.keys()) },
      { weight: 1, arbitrary: fc.constantFrom(...foreign, ...folders) },
      { weight: 1, arbitrary: fc.oneof(fc.uuid(), fc.string({ unit: 'binary', maxLength: 20 })) },
    );
    const request = fc.record({
      caller: fc.constantFrom<CallerRole>('owner', 'guardian', 'restrictedGuardian', 'caregiver', 'contact', 'watch'),
      path: fc.constantFrom(...paths.keys()),
      ids: fc.array(id, { minLength: 1, maxLength: 12 }),
      purge: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ caller, path, ids, purge }) => {
        const distinct = [...new Set(ids)];
        const deleted = distinct.filter((one) => isDeleted(one, caller, paths.get(path)));
        const { status, body } = await clients[caller].delete(cloudID, ids, { path });
        expect([status, body.data]).toEqual([
          200,
          { deleteContIDList: deleted, failureContIDList: distinct.filter((one) => !deleted.includes(one)) },
        ]);
        for (const one of deleted) setState(one, 'RECYCLED');
        if (purge && caller === 'owner') {
          await clients.owner.post('purgeContents', { cloudID, contentIDList: ids });
          for (const one of distinct) if (contents.get(one)?.state === 'RECYCLED') setState(one, 'PURGED');
        }
        await expectModelState();
      }),
      { numRuns: propertyRuns(13) },
    );
    expect(new Set((await findStates(server, foreign)).values())).toEqual(new Set(['ACTIVE']));
  }, 360_000);

  function setState(id: string, state: ModelContent['state']): void {
    const content = contents.get(id);
    if (content && content.state !== 'PURGED') content.state = state;
  }

  async function expectModelState(): Promise<void> {
    const states = await findStates(server, [...contents.keys()]);
    expect(states).toEqual(new Map([...contents].map(([one, { state }]) => [one, state])));
    const { stored, counted } = await findUsage(server, cloudID);
    expect(stored).toEqual(counted);
  }
});
