import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sampleOf } from '@family-watch/testing/properties/property-runs';
import type { Deployment } from '../deployments.js';
import { HttpClient } from '../http-client.js';
import { tableDigests, waitUntilEventsProcessed } from '../table-digests.js';
import { TestService } from '../test-service.js';
import { AccessMatrix, LIST_ROWS, PROTECTED_ROWS, PUBLIC_ROWS } from './access-matrix.js';

/** Number of operations that are tested outside `npm run test:long` where another suite tests the same rules for all. */
const SAMPLE_SIZE = 60;

/**
 * Tests the rejections of the access matrix, and on one process also its successes: each operation at one of its paths,
 * or at the others. Malformed ids and lists of ids are tested with the other paths.
 */
export function testOperations(deployment: Deployment, paths: 'one' | 'others'): void {
  let service: TestService;
  let matrix: AccessMatrix;
  let unauthenticated: HttpClient;
  let before: Record<string, string>;

  beforeAll(async () => {
    // The suite uses a separate service, because other suites would change the table digests.
    service = await TestService.start(deployment);
    matrix = await AccessMatrix.open(service, paths);
    unauthenticated = new HttpClient(service.url);
    await waitUntilEventsProcessed(service);
    before = await tableDigests(service);
  });
  afterAll(() => service.stop());

  // The rules are the same in separate processes, which differ in how they learn of families and keys.
  const rejecting = deployment === 'standalone' ? PROTECTED_ROWS : sampleOf(PROTECTED_ROWS, SAMPLE_SIZE);
  test.each(rejecting)('%s rejects callers without permission and ids of another family', async (id, row) => {
    await matrix.checkOutsiders(id, row, unauthenticated);
    await matrix.checkRestrictedMembers(id, row);
    await matrix.checkForeignIds(id, row);
    await matrix.checkForeignCallers(id, row);
  });

  if (paths === 'others') {
    test.each(PROTECTED_ROWS)('%s rejects values that are no ids', (id, row) => matrix.checkMalformedIds(id, row));
  }

  test('the rejected requests change no database row', async () => {
    expect(await tableDigests(service)).toEqual(before);
  });

  if (deployment !== 'standalone') return;

  describe.each(PUBLIC_ROWS)('operation %s without a token', (id, { cases }) => {
    test.each(cases)('responds as the access matrix declares: $title', (row) =>
      matrix.checkPublic(id, row, unauthenticated),
    );
  });

  const permitted = paths === 'one' ? PROTECTED_ROWS : sampleOf(PROTECTED_ROWS, SAMPLE_SIZE);
  test.each(permitted)('%s has the outcome that the matrix lists for each permitted caller', (id, row) =>
    matrix.checkOwnIds(id, row),
  );

  if (paths === 'others') {
    test.each(LIST_ROWS)('%s applies a list of own, foreign and unknown ids to own resources only', (id, row) =>
      matrix.checkMixedLists(id, row),
    );
  }
}
