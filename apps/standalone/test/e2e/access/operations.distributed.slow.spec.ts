import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { AccessMatrix, PROTECTED_ROWS } from '../../support/access/access-matrix.js';
import { HttpClient } from '../../support/http-client.js';
import { tableDigests, waitUntilEventsProcessed } from '../../support/table-digests.js';
import { TestService } from '../../support/test-service.js';
import { describeDistributed } from '../../support/deployments.js';

/**
 * Tests the rejections of the access matrix on separate processes: each app verifies tokens with the published keys of
 * userctx and receives families only by events. Each operation is tested at one of its paths. Its other path, paths
 * that nginx rejects, and successful requests are tested on standalone only.
 */
describeDistributed('A1 access matrix of the operations: rejections', (deployment) => {
  let service: TestService;
  let matrix: AccessMatrix;
  let unauthenticated: HttpClient;
  let before: Record<string, string>;

  beforeAll(async () => {
    // The suite uses a separate service, because other suites would change the table digests.
    service = await TestService.start(deployment);
    matrix = await AccessMatrix.open(service, 'one');
    unauthenticated = new HttpClient(service.url);
    await waitUntilEventsProcessed(service);
    before = await tableDigests(service);
  });
  afterAll(() => service.stop());

  test.each(PROTECTED_ROWS)('%s rejects callers without permission and ids of another family', async (id, row) => {
    await matrix.checkOutsiders(id, row, unauthenticated);
    await matrix.checkRestrictedMembers(id, row);
    await matrix.checkForeignIds(id, row);
    await matrix.checkForeignCallers(id, row);
  });

  test('the rejected requests change no database row', async () => {
    expect(await tableDigests(service)).toEqual(before);
  });
});
