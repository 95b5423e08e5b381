import { expect, jest, test } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { OnEvent, OnEventBatch, findEventHandlers } from './on-event.decorator.js';

type ChildErased = EventOf<DomainEvents, 'userctx.child.erased'>;
type ChildDeleted = EventOf<DomainEvents, 'userctx.child.deleted'>;

const handled = jest.fn<(instance: unknown, argument: unknown) => void>();

@Injectable()
class Handlers {
  readonly versions = new Map([['a', 7]]);

  @OnEventBatch(['userctx.child.erased', 'userctx.child.deleted'], { handler: 'gateway.batch' })
  async batch(events: readonly (ChildErased | ChildDeleted)[]): Promise<void> {
    handled(this, events);
  }

  @OnEvent('userctx.child.erased', {
    handler: 'gateway.single',
    projection: { name: 'children', findVersions: (self: Handlers) => Promise.resolve(self.versions) },
  })
  async single(event: ChildErased): Promise<void> {
    handled(this, event);
  }

  @OnEvent('userctx.child.erased', { handler: 'mcdisk.single' })
  async ofAnotherApp(event: ChildErased): Promise<void> {
    handled(this, event);
  }

  // @ts-expect-error The event has another payload.
  @OnEvent('userctx.child.erased', { handler: 'userctx.single' })
  async withWrongType(event: ChildDeleted): Promise<void> {
    handled(this, event);
  }
}

async function discover(app: string) {
  const module = await Test.createTestingModule({
    imports: [DiscoveryModule],
    providers: [Handlers, { provide: 'alias', useExisting: Handlers }, { provide: 'value', useValue: null }],
  }).compile();
  return { instance: module.get(Handlers), handlers: findEventHandlers(module.get(DiscoveryService), app) };
}

const event = {
  id: '1',
  name: 'userctx.child.erased',
  key: 'k',
  time: 0,
  payload: { familyId: 'f', cid: 'c' },
} as const;

test('findEventHandlers returns each handler of the app once, and those with a projection first', async () => {
  const { handlers } = await discover('gateway');
  expect(handlers.map(({ name, event: events }) => [name, events])).toEqual([
    ['gateway.single', 'userctx.child.erased'],
    ['gateway.batch', ['userctx.child.erased', 'userctx.child.deleted']],
  ]);
});

test('a handler calls the decorated method of its instance', async () => {
  const { instance, handlers } = await discover('gateway');
  const [single] = handlers;
  await single?.handle(event);
  expect(handled.mock.lastCall).toEqual([instance, event]);
  expect(single?.handleBatch).toBeUndefined();
  await expect(single?.projection?.findVersions(['a'])).resolves.toBe(instance.versions);
});

test('a handler of batches calls the method with one event and with many', async () => {
  const { instance, handlers } = await discover('gateway');
  const batch = handlers[1];
  await batch?.handle(event);
  expect(handled.mock.lastCall).toEqual([instance, [event]]);
  await batch?.handleBatch?.([event, event]);
  expect(handled.mock.lastCall).toEqual([instance, [event, event]]);
  expect(batch?.projection).toBeUndefined();
});
