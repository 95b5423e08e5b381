import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { runBackupProgram } from '../support/backup-programs.js';
import { EARLIER_BACKUPS, EARLIER_FAMILY } from '../support/earlier-backups.js';
import { CLOUD_PATH, expectOk, HttpClient } from '../support/http-client.js';
import { TestService } from '../support/test-service.js';

/* The suite starts its own service, because it restores a whole database. */
describe('backups of an earlier build', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fw-earlier-'));
  const path = (...names: string[]) => join(directory, ...names);
  const { secretKey, owner, familyId } = EARLIER_FAMILY;
  const service = { DATA_DIR: path('service'), SECRET_KEY: secretKey };
  let unused: TestDatabase;

  beforeAll(async () => {
    // The user of the embedded database server must be able to enter the directory.
    chmodSync(directory, 0o755);
    execFileSync('tar', ['-xzf', EARLIER_BACKUPS, '-C', directory, '--no-same-owner']);
    mkdirSync(service.DATA_DIR);
    unused = await createTestDatabase();
  });
  afterAll(async () => {
    await unused.drop();
    rmSync(directory, { recursive: true, force: true });
  });

  const refusal = { code: 2, output: expect.stringMatching(/was refused: it has no proof of its origin/) };

  test('A41 a backup of an earlier build is refused if a key is set, and restored on --accept-unauthenticated', async () => {
    const earlier = { ...service, BACKUP_DIR: path('plain') };
    const refused = await runBackupProgram('restore', earlier);
    expect(refused).toEqual(refusal);
    const { code, output } = await runBackupProgram('restore', earlier, '--accept-unauthenticated');
    expect([code, output]).toEqual([0, expect.stringMatching(/^Not proven: who has written the backup/)]);
    expect(output).toContain('147 rows and 1 files restored');

    const embedded = { DATABASE_URL: undefined, MIGRATION_DATABASE_URL: undefined };
    const restored = await TestService.startOn(unused, { ...service, ...embedded });
    const { accessToken } = await expectOk(
      new HttpClient(restored.url).post<{ accessToken: string }>('account/sign-in', owner),
    );
    const albums = new HttpClient(restored.url, accessToken).post<{ data: { cloudPhotoList: object[] } }>(
      `${CLOUD_PATH}queryCloudPhoto`,
      { cloudID: familyId },
    );
    expect((await expectOk(albums)).data.cloudPhotoList).toEqual([
      expect.objectContaining({ photoName: 'Summer', contentCount: 1 }),
    ]);
    await restored.stop();
  });

  test('A41 an encrypted backup of an earlier build is refused, and can be restored on --accept-unauthenticated', async () => {
    const earlier = {
      BACKUP_DIR: path('encrypted'),
      BACKUP_KEY_FILE: path('encrypted', 'backup.key'),
      DATA_DIR: path('none'),
    };
    expect(await runBackupProgram('restore', earlier, '--verify')).toEqual(refusal);
    const { code, output } = await runBackupProgram('restore', earlier, '--verify', '--accept-unauthenticated');
    expect([code, output]).toEqual([0, expect.stringContaining('147 rows were restored and are those of the backup')]);
  });
});
