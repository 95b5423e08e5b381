import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { AccessMatrix, PROTECTED } from '../../support/access/access-matrix.js';
import { HttpClient } from '../../support/http-client.js';
import { tableDigests, untilQuiet } from '../../support/table-digests.js';
import { TestService } from '../../support/test-service.js';
import { describeDistributed } from '../../support/deployments.js';

// A service of its own, for the reasons of operations.spec.ts.
const SETTINGS = { RATE_LIMIT_REQUESTS: 1_000_000 };

/**
 * The refusals of safety table A1 once more where each app checks tokens by userctx's published keys and knows families
 * by events only. Addresses that the edge itself refuses, and successes, need no second way.
 */
describeDistributed('the access matrix of the operations: refusals', (way) => {
  let service: TestService;
  let matrix: AccessMatrix;
  let nobody: HttpClient;
  let before: Record<string, string>;

  beforeAll(async () => {
    service = await TestService.start(way, SETTINGS);
    matrix = await AccessMatrix.open(service);
    nobody = new HttpClient(service.url);
    await untilQuiet(service);
    before = await tableDigests(service);
  });
  afterAll(() => service.stop());

  test.each(PROTECTED)('%s', async (id, row) => {
    await matrix.checkOutsiders(id, row, nobody);
    await matrix.checkForeignIds(id, row);
    await matrix.checkForeignCallers(id, row);
  });

  test('no refusal has changed a row', async () => {
    expect(await tableDigests(service)).toEqual(before);
  });
});
