import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { BATCH_TASK_TYPE } from '@family-watch/domain/family-cloud/contracts/cloud-task';
import type { CenterPageDto } from '@family-watch/domain/messages/dto/message-center.dto';
import { FamilyFixture } from '../support/family-fixture.js';
import { CLOUD_PATH, expectOk } from '../support/http-client.js';
import { TestService } from '../support/test-service.js';

describe('a batch task', () => {
  let service: TestService;
  let fixture: FamilyFixture;

  beforeAll(async () => {
    service = await TestService.shared('standalone');
    fixture = await FamilyFixture.create(service);
  });
  afterAll(async () => {
    fixture.disconnectAll();
    await service.stop();
  });

  test('sends its progress only to the member who created it', async () => {
    const { owner, guardian, familyId: cloudID } = fixture;
    const contentIDList = [await fixture.storeFile('one.jpg'), await fixture.storeFile('two.jpg')];
    const [socket, others] = [await owner.connect(), await guardian.connect()];
    const { data } = await expectOk(
      owner.post<{ data: { taskID: string } }>(`${CLOUD_PATH}createBatchOprTask`, {
        cloudID,
        taskType: BATCH_TASK_TYPE.DELETE,
        contentIDList,
      }),
    );
    const isAbout = ({ kind, payload }: { kind: string; payload: unknown }) =>
      kind === 'MessageCenterChangeNoticeMessage' && (payload as { category: string }).category === 'ALBUM';
    const listed = async () =>
      (await expectOk(owner.get<CenterPageDto>('/apis/v2/message/center/list', { category: 'ALBUM' }))).items;
    await socket.waitFor(() => socket.durable.some(isAbout), 'a notice of the beginning');
    for (let notices = 0; (await listed())[0]?.params['state'] !== 'DONE';) {
      await socket.waitFor(() => socket.durable.filter(isAbout).length > notices, 'a notice of progress');
      notices = socket.durable.filter(isAbout).length;
    }
    expect(await listed()).toMatchObject([
      {
        type: 'CLOUD_TASK_CHANGED',
        severity: 'INFO',
        familyId: cloudID,
        params: { cloudID, taskID: data.taskID, taskType: 2, state: 'DONE', total: 2, done: 2, failed: 0 },
      },
    ]);
    expect(others.durable.filter(isAbout)).toEqual([]);
  });
});
