import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import { DeliveryDiagnosisSource, type AppAdministration } from '@family-watch/domain/operators/app-administration';
import type { Authenticator } from '@family-watch/platform/auth/authenticator';
import { Environment } from '@family-watch/platform/config/environment';
import { createApplication } from '@family-watch/platform/http/create-application';
import {
  administrationOperations,
  deliveryOperations,
  remoteAppsOf,
  serveInternalOperations,
} from '@family-watch/platform/http/internal-operations';
import { createLogger } from '@family-watch/platform/observability/logger';
import { waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { LocalAppAdministration } from '@family-watch/platform/app/operator/app-administration';
import { SubscriptionService } from '../../../src/notifications/subscriptions/subscription.service.js';
import { headOf, waitForNotices } from '../../support/family-fixture.js';
import { connect, createFamily } from '../../support/clients.js';
import { node, serviceOf, useSharedGateway } from '../../support/suite-gateway.js';

const INTERNAL_SECRET = 'a-secret-of-the-deployment-of-this-test';

@Module({})
class EmptyModule {}

/** Text that must not be in a diagnosis: it is in a stored message, in a push token and in an event. */
const MARKER = 'planted marker';

useSharedGateway();
let server: NestFastifyApplication;
let remoteEnvironment: Environment;

beforeAll(async () => {
  const local = serviceOf(LocalAppAdministration);
  const deliveries = serviceOf(DeliveryDiagnosisSource);
  server = await createApplication({
    module: EmptyModule,
    environment: new Environment(),
    logger: createLogger('silent', 'test'),
    authenticator: {} as Authenticator,
    configure: (built) =>
      serveInternalOperations(built, INTERNAL_SECRET, {
        ...administrationOperations(local),
        ...deliveryOperations(deliveries),
      }),
  });
  await server.listen(0, '127.0.0.1');
  remoteEnvironment = Object.assign(new Environment(), { INTERNAL_SECRET, GATEWAY_URL: await server.getUrl() });
});
afterAll(() => server.close());

const ADAPTERS = [
  [
    'in the same process',
    () => ({
      administration: node.app.get<AppAdministration>(LocalAppAdministration, { strict: false }),
      deliveries: serviceOf(DeliveryDiagnosisSource),
    }),
  ],
  [
    'over HTTP',
    () => {
      const { administrations, deliveries } = remoteAppsOf(remoteEnvironment);
      if (!administrations.gateway || !deliveries) throw new Error('No client');
      return { administration: administrations.gateway, deliveries };
    },
  ],
] as const;

describe.each(ADAPTERS)('administration of an app %s', (_, openAdapter) => {
  /** Stores a dead letter of a handler that only this test uses. */
  async function addDeadLetter(handler: string, event: object | null): Promise<string> {
    const [row] = await node.unitOfWork.executor.query<{ id: string }>(
      `INSERT INTO gateway.dead_letter (handler, event_id, key, event, attempts, parked_at, last_error, raw)
       VALUES ($1, $2, 'f1', $3, 10, now(), $4, $5) RETURNING id::text`,
      [
        handler,
        event && randomUUID(),
        event && JSON.stringify(event),
        `${'x'.repeat(300)}\n stack`,
        event ? null : Buffer.from('ÿ'),
      ],
    );
    return row?.id ?? '';
  }

  test('lists dead letters without their payload, in pages', async () => {
    const handler = `gateway.test.${randomUUID()}`;
    const event = { id: randomUUID(), name: 'userctx.family.changed', key: 'f1', time: 0, payload: { text: MARKER } };
    const [first, raw] = [await addDeadLetter(handler, event), await addDeadLetter(handler, null)];
    const { administration } = openAdapter();
    const query = { handler, after: null, limit: 10 };
    const common = { handler, attempts: 10, deadLetteredAt: expect.any(Number), lastError: 'x'.repeat(200) };
    const listed = await administration.listDeadLetters(query);
    expect(listed).toEqual([
      { ...common, deadLetterId: first, eventName: event.name, eventId: event.id, key: 'f1', rawBytes: null },
      { ...common, deadLetterId: raw, eventName: null, eventId: null, key: null, rawBytes: 2 },
    ]);
    expect(JSON.stringify(listed)).not.toContain(MARKER);
    expect(await administration.listDeadLetters({ ...query, after: first })).toMatchObject([{ deadLetterId: raw }]);
    expect(await administration.listDeadLetters({ ...query, limit: 1 })).toHaveLength(1);
  });

  test('replays dead letters that are events, and drops any', async () => {
    const handler = `gateway.test.${randomUUID()}`;
    const event = { id: randomUUID(), name: 'userctx.family.changed', key: 'f1', time: 0, payload: {} };
    const [first, raw] = [await addDeadLetter(handler, event), await addDeadLetter(handler, null)];
    const { administration } = openAdapter();
    expect(await administration.replayDeadLetters([first, raw, first])).toEqual([true, false, false]);
    expect(await administration.dropDeadLetters([raw, first])).toEqual([true, false]);
    expect(await administration.listDeadLetters({ handler, after: null, limit: 10 })).toEqual([]);
  });

  test('reports what waits', async () => {
    expect(await openAdapter().administration.getStatus()).toEqual({
      app: 'gateway',
      unpublished: expect.any(Number),
      publicationDelayMs: expect.any(Number),
      retries: expect.any(Number),
      deadLetters: expect.any(Number),
      queues: expect.arrayContaining([{ job: expect.stringMatching(/^gateway\./), due: 0, oldestDueAt: null }]),
    });
  });

  test('diagnoses deliveries with states and counts only', async () => {
    const fixture = await createFamily();
    const { owner, guardian, family } = fixture;
    const connected = await connect(guardian);
    await fixture.publishContactChange(1);
    await waitForNotices(connected, 1);
    await node.unitOfWork.executor.query(
      `UPDATE gateway.mailbox_entry SET payload = json_build_object('text', $2::text) WHERE principal = $1`,
      [principalKey(guardian), MARKER],
    );
    await node.unitOfWork.executor.query(
      `INSERT INTO gateway.push_token (token_id, user_id, session_id, service, token, digest, created_at)
       VALUES ($1, $2, $3, 'FCM', $4, sha256($1::uuid::text::bytea), 1)`,
      [randomUUID(), guardian.id, guardian.sessionId, MARKER],
    );
    await serviceOf(SubscriptionService).update(guardian.id, { categories: [{ category: 'CHAT', push: false }] });
    await node.unitOfWork.executor.query(
      `INSERT INTO gateway.parked (handler, event_id, key, event, attempts, next_attempt_at)
       VALUES ('gateway.test', $1, $2, $3, 0, now() + interval '1 day')`,
      [randomUUID(), family.familyId, JSON.stringify({ payload: MARKER })],
    );
    const principals = [principalKey(guardian), principalKey(owner)];
    // On a machine so slow that the node's lease expires, its connections are missing until the next renewal.
    const diagnosis = await waitUntilFound('the connection of the guardian', async () => {
      const found = await openAdapter().deliveries.diagnose({ familyId: family.familyId, principals });
      return found.principals.some(({ connections }) => connections.length > 0) ? found : undefined;
    });
    const silent = { connections: [], mailboxHead: expect.any(Number), sessions: [], pushRegistrations: [] };
    expect(diagnosis).toEqual({
      principals: [
        {
          principal: principalKey(guardian),
          connections: [{ sessionId: guardian.sessionId, nodeId: expect.any(String), since: expect.any(Number) }],
          mailboxHead: headOf(connected) + 1,
          sessions: [
            {
              sessionId: guardian.sessionId,
              acknowledged: headOf(connected),
              lastSeenAt: expect.any(Number),
              oldestUnacknowledgedAt: expect.any(Number),
            },
          ],
          pushRegistrations: [{ sessionId: guardian.sessionId, service: 'FCM', registeredAt: 1 }],
          pushQueue: { waiting: expect.any(Number), attempts: 0, nextAttemptAt: null },
          pushDisabled: ['CHAT'],
        },
        {
          ...silent,
          principal: principalKey(owner),
          pushQueue: { waiting: 0, attempts: 0, nextAttemptAt: null },
          pushDisabled: [],
        },
      ],
      blocked: [{ handler: 'gateway.test', retries: 1, deadLetters: 0 }],
      unknownProjections: [],
    });
    expect(JSON.stringify(diagnosis)).not.toContain('marker');
    await node.unitOfWork.executor.query(`DELETE FROM gateway.parked WHERE handler = 'gateway.test'`);
  });
});

test('without URL or secret, no app is asked', () => {
  expect(remoteAppsOf(new Environment())).toEqual({ administrations: {} });
  expect(remoteAppsOf(Object.assign(new Environment(), { INTERNAL_SECRET })).deliveries).toBeUndefined();
});
