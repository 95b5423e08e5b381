import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { BATCH_TASK_TYPE } from '@family-watch/domain/family-cloud/contracts/cloud-task';
import type { DataExportDto } from '@family-watch/domain/privacy/dto/data-export.dto';
import { readZip } from '@family-watch/testing/archives/read-zip';
import { waitFor, waitUntil, waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { describeOneDeployment } from '../../support/deployments.js';
import { FamilyFixture } from '../../support/family-fixture.js';
import { CLOUD_PATH, expectOk } from '../../support/http-client.js';
import type { Parent } from '../../support/parent.js';
import { TestService } from '../../support/test-service.js';

/** MiB for the archives of all exports; one person may use a quarter. */
const STORAGE_MIB = 4;
const LARGE_FILE_BYTES = 900_000;
const HONEST_FILE_BYTES = 700_000;

// Uses its own service, because the space for exports is small.
describeOneDeployment('the space for exports', 'distributed', (deployment) => {
  let service: TestService;
  const families: FamilyFixture[] = [];

  beforeAll(async () => {
    service = await TestService.start(deployment, { DATA_EXPORT_STORAGE: String(STORAGE_MIB) });
  });
  afterAll(async () => {
    for (const family of families) family.disconnectAll();
    await service.stop();
  });

  async function createFamily(): Promise<FamilyFixture> {
    const family = await FamilyFixture.create(service);
    families.push(family);
    return family;
  }
  const latestExport = async (person: Parent) =>
    (await expectOk(person.get<{ export: DataExportDto | null }>('account/data/export/get'))).export;
  const requestExport = async (person: Parent) =>
    expectOk(person.post<DataExportDto>('account/data/export', { stepUp: await person.stepUp() }));
  const outcomeOf = (person: Parent) =>
    waitUntilFound('the end of the export', async () => {
      const latest = await latestExport(person);
      return latest && ['READY', 'FAILED', 'ENDED'].includes(latest.state) ? latest : undefined;
    });

  /** Creates an account whose archive contains a large file, and copies of it. */
  async function createOccupant(copies: number): Promise<FamilyFixture> {
    const family = await createFamily();
    const { owner, familyId: cloudID } = family;
    const file = await family.storeFile('noise.bin', randomBytes(LARGE_FILE_BYTES));
    for (let copy = 1; copy <= copies; copy += 1) {
      const request = { cloudID, taskType: BATCH_TASK_TYPE.COPY, contentIDList: [file], destCatalogID: '' };
      await expectOk(owner.post(`${CLOUD_PATH}createBatchOprTask`, request));
    }
    await waitFor(async () => {
      const sql = `SELECT count(*)::int AS files FROM mcdisk.content WHERE cloud_id = $1 AND state = 'ACTIVE'`;
      expect(await service.query(sql, [cloudID])).toEqual([{ files: copies + 1 }]);
    });
    return family;
  }

  test('A39 filled by others postpones the export of a person, and does not let it fail', async () => {
    const occupants = [await createOccupant(3)];
    for (let count = 1; count <= 3; count += 1) occupants.push(await createOccupant(0));
    for (const { owner } of occupants) {
      await requestExport(owner);
      expect(await outcomeOf(owner)).toMatchObject({ state: 'READY', files: 1 });
    }
    const honest = await createFamily();
    await honest.storeFile('school play.jpg', randomBytes(HONEST_FILE_BYTES));
    await requestExport(honest.owner);
    await waitUntil('the postponement', async () => {
      const [reported] = await service.query<{ reported_at: string | null }>(
        'SELECT reported_at FROM userctx.data_export WHERE user_id = $1',
        [honest.owner.userId],
      );
      return reported?.reported_at != null;
    });
    expect(await latestExport(honest.owner)).toMatchObject({ state: 'WAITING', failureReason: null });

    const [first] = occupants;
    if (first) await requestExport(first.owner);
    const ready = await outcomeOf(honest.owner);
    expect(ready).toMatchObject({ state: 'READY', files: 1, bytes: HONEST_FILE_BYTES });
    const { pathname, search } = new URL(ready.downloadURL ?? '');
    const archive = await fetch(`${service.url}${pathname}${search}`);
    const entries = await readZip(Buffer.from(await archive.arrayBuffer()));
    expect([...entries.values()].some((bytes) => bytes.length === HONEST_FILE_BYTES)).toBe(true);
  });

  test('A39 refuses the export of a person whose own data exceed the share, with the reason', async () => {
    const { owner } = await createFamily().then(async (family) => {
      await family.storeFile('one.bin', randomBytes(LARGE_FILE_BYTES));
      await family.storeFile('two.bin', randomBytes(LARGE_FILE_BYTES));
      return family;
    });
    await requestExport(owner);
    expect(await outcomeOf(owner)).toMatchObject({ state: 'FAILED', failureReason: 'TOO_LARGE', downloadURL: null });
  });
});
