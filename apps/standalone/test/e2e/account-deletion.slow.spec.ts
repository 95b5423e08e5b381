import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { AccountDeletionDto, ErasureReceiptDto } from '@family-watch/domain/privacy/dto/account-deletion.dto';
import { gatewayDatabase } from '@family-watch/gateway/database/gateway-database';
import { mcdiskDatabase } from '@family-watch/mcdisk/database/mcdisk-database';
import { createTestDatabase } from '@family-watch/testing/database/test-database';
import { freePort } from '@family-watch/testing/network/free-ports';
import { waitFor, waitUntil } from '@family-watch/testing/waiting/wait-for';
import { userctxDatabase } from '@family-watch/userctx/database/userctx-database';
import { DELETE_PATH, findConversation, say, testAccountDeletion } from '../support/account-deletion-tests.js';
import { describeDistributed } from '../support/deployments.js';
import { expectOk, HttpClient } from '../support/http-client.js';
import { MarkerSearch } from '../support/marker-search.js';
import { Parent } from '../support/parent.js';
import { TestService } from '../support/test-service.js';

describeDistributed('A24 the deletion of an account', testAccountDeletion);

// The suite kills its service.
test('an erasure continues after the service was killed at each step', async () => {
  const database = await createTestDatabase({ template: [userctxDatabase, mcdiskDatabase, gatewayDatabase] });
  const settings = {
    ACCOUNT_DELETION_GRACE: 1,
    // The same URL after each start: the log of all starts is one file.
    PORT: await freePort(),
    DATA_DIR: mkdtempSync(join(tmpdir(), 'fw-erasure-')),
    SECRET_KEY: randomBytes(32).toString('base64url'),
  };
  const killWhen = async (step: string, sql: string) => {
    await waitUntil(step, async () => (await service.query(sql)).length > 0);
    process.kill(service.processId, 'SIGKILL');
    await service.stop();
    service = await TestService.startOn(database, settings);
  };
  let service = await TestService.startOn(database, settings);
  const markers = new MarkerSearch(service);
  const owner = await Parent.signUp(service, { nickname: markers.plant('nickname') });
  await owner.createChild({ name: markers.plant('child name') });
  await say(owner, await findConversation(owner, 'FAMILY'), markers.plant('text'));
  const { receiptId } = await expectOk(owner.post<AccountDeletionDto>(DELETE_PATH, { stepUp: await owner.stepUp() }));
  await killWhen('the erasure in userctx', `SELECT FROM userctx.account_deletion WHERE state = 'ERASING'`);
  await killWhen(
    'an erasure in mcdisk, or its end',
    `SELECT FROM mcdisk.account_erasure UNION ALL SELECT FROM userctx.account_deletion WHERE state = 'COMPLETED'`,
  );
  const client = new HttpClient(service.url);
  await waitFor(async () => {
    const receipt = await expectOk(client.get<ErasureReceiptDto>(`${DELETE_PATH}/receipt/get`, { receiptId }));
    expect(receipt.state).toBe('COMPLETED');
  });
  markers.service = service;
  expect(await markers.findAll()).toEqual([]);
  await service.stop();
  await database.drop();
  rmSync(settings.DATA_DIR, { recursive: true });
});
