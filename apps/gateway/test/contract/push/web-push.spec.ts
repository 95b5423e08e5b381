import { expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import webPush from 'web-push';
import { WebPushProvider } from '../../../src/contexts/push/providers/web-push.provider.js';
import { LocalPushService, PushSubscriber, verifyVapid } from '../../support/push-service.js';
import { describePushProvider, MESSAGE } from './push-provider.contract.js';
import type { PushServiceBehaviour, PushProviderHarness } from './push-provider.contract.js';

const SUBJECT = 'mailto:push@example.org';
const STATUS: Record<Exclude<PushServiceBehaviour, 'hangs up'>, number> = {
  'takes it': 201,
  'knows no such token': 410,
  'is busy': 429,
  'refuses our credentials': 401,
};

const vapid = { ...webPush.generateVAPIDKeys(), subject: SUBJECT };

describePushProvider('Web Push', async (): Promise<PushProviderHarness> => {
  const service = await LocalPushService.start();
  const subscribers = new Map<string, PushSubscriber>();
  return {
    provider: new WebPushProvider(vapid, true),
    target(mood) {
      const origin = mood === 'hangs up' ? 'http://127.0.0.1:9' : service.origin;
      const subscriber = new PushSubscriber(origin);
      subscribers.set(subscriber.path, subscriber);
      if (mood !== 'hangs up') service.answers.set(subscriber.path, STATUS[mood]);
      return { token: subscriber.endpoint, keys: subscriber.keys };
    },
    arrived: () =>
      service.carried.flatMap((push) => {
        const subscriber = subscribers.get(push.path);
        if (!subscriber || service.answers.get(push.path) !== 201) return [];
        const { ttl, urgency, topic } = push.headers;
        return [{ note: subscriber.open(push), ttl: Number(ttl), urgent: urgency === 'high', topic: String(topic) }];
      }),
    stop: () => service.stop(),
  };
});

test('what is sent is signed for that push service (RFC 8292), and nobody on the way can read it', async () => {
  const service = await LocalPushService.start();
  const provider = new WebPushProvider(vapid, true);
  const subscriber = new PushSubscriber(service.origin);
  try {
    await provider.send({ token: subscriber.endpoint, keys: subscriber.keys }, MESSAGE);
    const [push] = service.to(subscriber);
    if (!push) throw new Error('Nothing came');
    expect(await verifyVapid(push, service.origin, vapid.publicKey)).toMatchObject({ sub: SUBJECT });
    await expect(verifyVapid(push, 'https://elsewhere.example', vapid.publicKey)).rejects.toThrow();
    expect(push.headers['content-encoding']).toBe('aes128gcm');
    expect(push.body.toString('latin1')).not.toContain('SOS');
    expect(() => new PushSubscriber(service.origin).open(push)).toThrow();
    const changed = Buffer.from(push.body);
    changed.writeUInt8(changed.readUInt8(changed.length - 1) ^ 1, changed.length - 1);
    expect(() => subscriber.open({ ...push, body: changed })).toThrow();
  } finally {
    await service.stop();
  }
});

test('an endpoint that is not on the public internet gets nothing', async () => {
  const service = await LocalPushService.start();
  const provider = new WebPushProvider(vapid, false);
  const { keys } = new PushSubscriber(service.origin);
  try {
    const port = new URL(service.origin).port;
    for (const token of [service.origin, `https://127.0.0.1:${port}/`, 'https://localhost/', 'https://10.0.0.1/x']) {
      expect(await provider.send({ token, keys }, MESSAGE)).toBe('TOKEN_DEAD');
    }
    expect(service.carried).toEqual([]);
  } finally {
    await service.stop();
  }
});

test('keys that nothing can be encrypted for are dead', async () => {
  const provider = new WebPushProvider(vapid, true);
  const keys = { p256dh: randomBytes(65).toString('base64url'), auth: randomBytes(16).toString('base64url') };
  expect(await provider.send({ token: 'http://127.0.0.1:9/x', keys }, MESSAGE)).toBe('TOKEN_DEAD');
  expect(await provider.send({ token: 'http://127.0.0.1:9/x', keys: null }, MESSAGE)).toBe('TOKEN_DEAD');
});
