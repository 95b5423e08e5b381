import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { TestingModule } from '@nestjs/testing';
import { sealEnvelope } from '@family-watch/event-bus/envelope';
import { InProcessEventBus } from '@family-watch/event-bus/in-process-event-bus';
import { partitionOf } from '@family-watch/event-bus/partition';
import { SmsSender } from '../../../src/contexts/accounts/codes/sms-sender.js';
import { AlertSmsService } from '../../../src/contexts/alerts/alert-sms.service.js';
import { AlertsModule } from '../../../src/contexts/alerts/alerts.module.js';
import { UserctxEventConsumer } from '../../../src/infrastructure/userctx.event-consumer.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx.unit-of-work.js';
import { AccountsWorld } from '../../support/accounts-world.js';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const bus = new InProcessEventBus({ consumers: ['userctx'] });
const consumer = {
  provide: UserctxEventConsumer,
  inject: [UserctxUnitOfWork],
  useFactory: (scope: UserctxUnitOfWork) => new UserctxEventConsumer({ app: 'userctx', scope, bus, logger: quiet }),
};

@Global()
@Module({ providers: [consumer], exports: [consumer] })
class ConsumerModule {}

let world: AccountsWorld;
let replica: TestingModule;
let accounts: TestingModule;

beforeAll(async () => {
  world = await AccountsWorld.open();
  accounts = await world.replica();
  const modules = [world.infrastructure(), ConsumerModule, AlertsModule];
  replica = await Test.createTestingModule({ imports: modules })
    .setLogger({ log: () => undefined, warn: () => undefined, error: () => undefined })
    .compile();
  await replica.init();
  await replica.get(UserctxEventConsumer).start();
});
afterAll(async () => {
  await replica.get(UserctxEventConsumer).stop();
  await replica.close();
  await bus.close();
  await world.close();
});

async function undelivered(userId: string, messageId: string, time = Date.now()): Promise<void> {
  const fact = { userId, messageId, familyId: randomUUID(), cid: randomUUID(), category: 'SOS', time } as const;
  const event = { id: randomUUID(), name: 'gateway.alert.undelivered', key: `user:${userId}`, time, payload: fact };
  await bus.publish(sealEnvelope('gateway', partitionOf(event.key), [event]));
}

async function sendAll(): Promise<void> {
  while ((await replica.get(AlertSmsService).sendDue()) > 0);
}

async function alertsTo(phoneNumber: string): Promise<Record<string, unknown>[]> {
  return (await world.messages()).filter((sms) => sms['phoneNumber'] === phoneNumber && sms['scene'] === 'ALERT');
}

describe('an alert that no app has taken', () => {
  test('goes to the number of the person, once, with no name and no place', async () => {
    const phone = world.phone();
    const { userId } = await world.signUp(accounts, phone);
    const messageId = randomUUID();
    const time = Date.now();
    await undelivered(userId, messageId, time);
    await undelivered(userId, messageId, time);
    await Promise.all([sendAll(), sendAll()]);
    await undelivered(userId, messageId, time);
    await sendAll();
    expect(await alertsTo(phone.phoneNumber)).toEqual([{ ...phone, scene: 'ALERT', category: 'SOS', time }]);
  });

  test('is sent again while the provider fails, and not when it is old news', async () => {
    const phone = world.phone();
    const { userId } = await world.signUp(accounts, phone);
    const sender = replica.get(SmsSender, { strict: false });
    const send = sender.send.bind(sender);
    sender.send = () => Promise.reject(new Error('away'));
    await undelivered(userId, randomUUID());
    await sendAll();
    expect(await alertsTo(phone.phoneNumber)).toEqual([]);
    sender.send = send;
    await world.query('UPDATE userctx.alert_sms SET due_at = 0 WHERE user_id = $1', [userId]);
    await sendAll();
    expect(await alertsTo(phone.phoneNumber)).toHaveLength(1);
    await undelivered(userId, randomUUID(), Date.now() - 16 * 60_000);
    await sendAll();
    expect(await alertsTo(phone.phoneNumber)).toHaveLength(1);
  });

  test('costs at most ten messages an hour, whatever a watch sends', async () => {
    const phone = world.phone();
    const { userId } = await world.signUp(accounts, phone);
    for (let index = 0; index < 14; index += 1) await undelivered(userId, randomUUID());
    await sendAll();
    expect(await alertsTo(phone.phoneNumber)).toHaveLength(10);
  });

  test('to somebody who is gone is forgotten', async () => {
    await undelivered(randomUUID(), randomUUID());
    await sendAll();
    expect(await world.query('SELECT FROM userctx.alert_sms WHERE due_at IS NOT NULL')).toEqual([]);
  });
});
