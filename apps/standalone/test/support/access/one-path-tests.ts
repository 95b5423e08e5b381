import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sampleOf } from '@family-watch/testing/properties/property-runs';
import type { Deployment } from '../deployments.js';
import { HttpClient } from '../http-client.js';
import { tableDigests, waitUntilEventsProcessed } from '../table-digests.js';
import { TestService } from '../test-service.js';
import { AccessMatrix, PROTECTED_ROWS, PUBLIC_ROWS } from './access-matrix.js';

/** Tests the rejections of the access matrix, and on one process also its successes, each operation at one of its paths. */
export function testOnePathPerOperation(deployment: Deployment): void {
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

  // The rules are the same in separate processes, which differ in how they learn of families and keys.
  const rows = deployment === 'standalone' ? PROTECTED_ROWS : sampleOf(PROTECTED_ROWS, 60);
  test.each(rows)('%s rejects callers without permission and ids of another family', async (id, row) => {
    await matrix.checkOutsiders(id, row, unauthenticated);
    await matrix.checkRestrictedMembers(id, row);
    await matrix.checkForeignIds(id, row);
    await matrix.checkForeignCallers(id, row);
  });

  test('the rejected requests change no database row', async () => {
    expect(await tableDigests(service)).toEqual(before);
  });

  if (deployment !== 'standalone') return;

  describe.each(PUBLIC_ROWS)('operation %s without a token', (id, { cases }) => {
    test.each(cases)('responds as the access matrix declares: $title', (row) =>
      matrix.checkPublic(id, row, unauthenticated),
    );
  });

  test.each(PROTECTED_ROWS)('%s has the outcome that the matrix lists for each permitted caller', (id, row) =>
    matrix.checkOwnIds(id, row),
  );
}
