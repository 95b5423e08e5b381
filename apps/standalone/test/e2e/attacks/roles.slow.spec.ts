import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { DeclaredRoute } from '@family-watch/platform/http/routes';
import { PROTECTED_ROWS } from '../../support/access/access-matrix.js';
import { callOperation } from '../../support/access/caller.js';
import { idsOf, type Ids } from '../../support/access/ids.js';
import { declaredOperations } from '../../support/declared-operations.js';
import { FamilyFixture } from '../../support/family-fixture.js';
import { Parent } from '../../support/parent.js';
import { TestService } from '../../support/test-service.js';

const FAMILY_IDS: readonly (keyof Ids)[] = ['familyId', 'cid', 'deletedCid', 'did', 'cloudID'];
/** Operations of the family cloud that read with POST, and leaving a family, which everyone may. */
const READING_POST = /^query|^getFileDownLoadURL$|^leaveFamily$/;
const ROLES = [
  ['caregiver', 3],
  ['contact', 4],
] as const;

/** Operations that change data, and that roles with few rights may use. */
const PERMITTED_CHANGES: Readonly<Record<(typeof ROLES)[number][0], readonly string[]>> = {
  caregiver: [
    'acknowledgeSos',
    'addPhotoContents',
    'createBatchOprTask',
    'createCloudDoc',
    'createCloudPhoto',
    'createVideoCall',
    'getFileUploadURL',
    'resolveSos',
  ],
  contact: ['createVideoCall'],
};

describe('A28 changes by roles with few rights', () => {
  let service: TestService;
  let family: FamilyFixture;
  let ids: Ids;
  let routes: ReadonlyMap<string, DeclaredRoute>;

  beforeAll(async () => {
    service = await TestService.shared('standalone');
    family = await FamilyFixture.create(service, { password: 'seven quiet herons' });
    ids = await idsOf(service, family);
    routes = new Map((await declaredOperations()).map((route) => [route.id, route]));
  });
  afterAll(async () => {
    family.disconnectAll();
    await service.stop();
  });

  test.each(ROLES)(
    'a %s is rejected by each operation that changes the family, a child, a watch or a cloud',
    async (name, role) => {
      const member = await Parent.signUp(service);
      await family.owner.addMember(member, { role });
      const accepted: string[] = [];
      for (const [id, row] of PROTECTED_ROWS) {
        const route = routes.get(id) as DeclaredRoute;
        const isFamilys = Object.keys(row.rejections).some((key) => FAMILY_IDS.includes(key as keyof Ids));
        if (route.method !== 'POST' || READING_POST.test(id) || !row.callerKinds.includes('user') || !isFamilys)
          continue;
        const { status, text } = await callOperation(member, route, route.path, row.request(ids));
        // A change of several files succeeds without changing any, and lists their ids as failed.
        const isRejected = [403, 404].includes(status) || /"failure\w+":\["/.test(text);
        if (!isRejected) accepted.push(id);
      }
      expect(accepted.toSorted()).toEqual(PERMITTED_CHANGES[name]);
    },
  );
});
