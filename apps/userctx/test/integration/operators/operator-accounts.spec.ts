import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { COMMAND_LINE_ACTOR, type OperatorRole } from '@family-watch/domain/operators/contracts/operator';
import { OperatorAccountsService } from '../../../src/operators/operator-accounts.service.js';
import { AccountsTestEnvironment } from '../../support/accounts-test-environment.js';
import { outcomeOf } from '../../support/bound-family-fixture.js';

let environment: AccountsTestEnvironment;
let replicas: INestApplicationContext[];

beforeAll(async () => {
  environment = await AccountsTestEnvironment.open();
  replicas = [await environment.replica(), await environment.replica()];
});
afterAll(() => environment.close());

const accountsOf = (replica: INestApplicationContext | undefined) => {
  if (!replica) throw new Error('No replica');
  return replica.get(OperatorAccountsService, { strict: false });
};

const uniqueName = () => `op-${randomUUID().slice(0, 8)}`;

async function createOperator(...roles: OperatorRole[]): Promise<{ id: string }> {
  const request = { loginName: uniqueName(), roles };
  return { id: (await accountsOf(replicas[0]).create(request, COMMAND_LINE_ACTOR)).operatorId };
}

const isActive = async ({ id }: { id: string }) => {
  const [row] = await environment.query<{ active: boolean }>(
    'SELECT suspended_at IS NULL AS active FROM userctx.operator_account WHERE operator_id = $1',
    [id],
  );
  return row?.active;
};

test('of administrators who suspend each other concurrently, one remains active', async () => {
  const administrators: { id: string }[] = [];
  for (let count = 0; count < 4; count += 1) administrators.push(await createOperator('ADMIN', 'SUPPORT'));
  const outcomes = await Promise.all(
    administrators.flatMap((caller) =>
      administrators
        .filter((other) => other !== caller)
        .map((other, turn) => outcomeOf(() => accountsOf(replicas[turn % 2]).suspend(caller, other.id))),
    ),
  );
  const active = await Promise.all(administrators.map(isActive));
  expect(active.filter(Boolean)).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(3);
  const refusals = outcomes.filter((outcome) => outcome !== 'ok');
  expect(['TOKEN_REVOKED', 'OPERATOR_NOT_FOUND']).toEqual(expect.arrayContaining([...new Set(refusals)]));
});

test('an administrator whose request was admitted before the suspension neither creates nor suspends operators', async () => {
  const [suspended, other, support] = [
    await createOperator('ADMIN'),
    await createOperator('ADMIN'),
    await createOperator('SUPPORT'),
  ];
  await accountsOf(replicas[0]).suspend(other, suspended.id);
  const loginName = uniqueName();
  const creation = () => accountsOf(replicas[1]).create({ loginName, roles: ['ADMIN'] }, suspended);
  expect(await outcomeOf(creation)).toBe('TOKEN_REVOKED');
  expect(await outcomeOf(() => accountsOf(replicas[1]).suspend(suspended, support.id))).toBe('TOKEN_REVOKED');
  expect(await isActive(support)).toBe(true);
  expect(await environment.query('SELECT FROM userctx.operator_account WHERE login_name = $1', [loginName])).toEqual(
    [],
  );
});
