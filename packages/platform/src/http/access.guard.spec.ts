import { expect, test } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { Authenticator } from '../auth/authenticator.js';
import { Environment } from '../config/environment.js';
import { AccessGuard } from './access.guard.js';
import type { OperationMetadata } from './operation.decorator.js';
import type { OperatorGate } from './operator-gate.js';
import { RequestLimiter } from './request-limiter.js';

const CALLBACK: OperationMetadata = { id: 'callback', access: 'public', hasEnvelope: false, limit: 'callback' };
const OTHER: OperationMetadata = { id: 'other', access: 'public', hasEnvelope: true };
const FOR_USERS: OperationMetadata = { id: 'for users', access: ['user'], hasEnvelope: true };
const FILE_OF_USER: OperationMetadata = { id: 'file', access: ['user'], hasEnvelope: false, limit: 'file' };

/** Returns a function that sends a request through a guard. @returns 'ok' or the name of the limit that is used up */
function guardedRequests(limits: Partial<Environment>) {
  const authenticator = {
    authenticate: (id: string) => Promise.resolve({ type: 'user', id, sessionId: 'session' }),
  } as unknown as Authenticator;
  const guard = new AccessGuard(authenticator, new RequestLimiter({ ...new Environment(), ...limits }), undefined);
  const reply = { header: () => reply } as unknown as FastifyReply;
  return async (operation: OperationMetadata, ip: string, authorization?: string) => {
    try {
      await guard.authorize(operation, { ip, headers: { authorization } } as FastifyRequest, reply);
      return 'ok';
    } catch (error) {
      return (error as ServiceError).details?.find(({ field }) => field === 'limit')?.rule;
    }
  };
}

test('callbacks and other requests without a token count separately, per IP address', async () => {
  const request = guardedRequests({ RATE_LIMIT_REQUESTS: 1, RATE_LIMIT_CALLBACKS: 2 });
  const outcomes = [];
  for (const [operation, ip] of [
    [OTHER, '192.0.2.1'],
    [OTHER, '192.0.2.1'],
    [CALLBACK, '192.0.2.1'],
    [CALLBACK, '192.0.2.1'],
    [CALLBACK, '192.0.2.1'],
    [CALLBACK, '192.0.2.2'],
  ] as const) {
    outcomes.push(await request(operation, ip));
  }
  expect(outcomes).toEqual(['ok', 'requests.address', 'ok', 'ok', 'requests.callback', 'ok']);
});

test('requests with a token count per caller, and their files separately', async () => {
  const request = guardedRequests({ RATE_LIMIT_CALLER_REQUESTS: 2, RATE_LIMIT_FILE_REQUESTS: 1 });
  const outcomes = [];
  for (const [operation, ip, caller] of [
    [FOR_USERS, '192.0.2.1', 'one'],
    [FOR_USERS, '192.0.2.2', 'one'],
    [FOR_USERS, '192.0.2.3', 'one'],
    [FOR_USERS, '192.0.2.1', 'two'],
    [FILE_OF_USER, '192.0.2.1', 'one'],
    [FILE_OF_USER, '192.0.2.1', 'one'],
    [FILE_OF_USER, '192.0.2.1', 'two'],
  ] as const) {
    outcomes.push(await request(operation, ip, caller));
  }
  expect(outcomes).toEqual(['ok', 'ok', 'requests.caller', 'ok', 'ok', 'requests.file', 'ok']);
});

test.each([
  [{ roles: ['FLEET', 'ADMIN'] }, { roles: 'FLEET,ADMIN' }],
  [{ roles: ['x'.repeat(64), 'y'.repeat(64)] }, { roles: '2 items' }],
  [{ roles: Array.from({ length: 129 }, () => '') }, { roles: '129 items' }],
  [{ roles: ['ADMIN', { toString: 'a' }] }, { roles: '2 items' }],
  [{ roles: [] }, { roles: '' }],
  [{ roles: ['A\0'] }, { roles: 'A' }],
  [{ roles: { 0: 'ADMIN' } }, {}],
  [{ roles: `${'x'.repeat(128)}y`, other: 'text' }, { roles: 'x'.repeat(128) }],
])('the operator gate gets, of the request %j, the audited fields %j', async (body, fields) => {
  const admitted: object[] = [];
  const gate = {
    authenticate: () => Promise.resolve({ type: 'operator', id: 'id', sessionId: 'session' }),
    admit: (_: object, request: { fields: object }) => Promise.resolve(void admitted.push(request.fields)),
  } as unknown as OperatorGate;
  const guard = new AccessGuard({} as Authenticator, new RequestLimiter(new Environment()), gate);
  const operation = {
    ...OTHER,
    access: { operatorRoles: ['ADMIN'], auditedFields: ['roles'] },
  } as OperationMetadata;
  const request = { ip: '192.0.2.1', headers: {}, query: {}, body } as unknown as FastifyRequest;
  await guard.authorize(operation, request, { header: () => undefined } as unknown as FastifyReply);
  expect(admitted).toEqual([fields]);
});
