import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import webPush from 'web-push';
import { WebPushProvider } from '../../../src/notifications/push/providers/web-push.provider.js';
import { LocalPushService, PushSubscriber, verifyVapid } from '../../support/local-push-service.js';
import {
  describePushProvider,
  PUSH_MESSAGE,
  type PushServiceBehaviour,
  type PushProviderHarness,
} from './push-provider.contract.js';

const VAPID_SUBJECT = 'mailto:push@example.org';
const STATUS_BY_BEHAVIOUR: Record<Exclude<PushServiceBehaviour, 'closes the connection'>, number> = {
  'accepts the message': 201,
  'does not know the token': 410,
  'is busy': 429,
  'rejects the credentials': 401,
  'rejects the message': 400,
};

let service: LocalPushService;
beforeEach(async () => {
  service = await LocalPushService.start();
});
afterEach(() => service.stop());

const vapidDetails = { ...webPush.generateVAPIDKeys(), subject: VAPID_SUBJECT };

describePushProvider('Web Push', async (): Promise<PushProviderHarness> => {
  const service = await LocalPushService.start();
  const subscribers = new Map<string, PushSubscriber>();
  return {
    provider: new WebPushProvider(vapidDetails, true),
    target(behaviour) {
      const origin = behaviour === 'closes the connection' ? 'http://127.0.0.1:9' : service.origin;
      const subscriber = new PushSubscriber(origin);
      subscribers.set(subscriber.path, subscriber);
      if (behaviour !== 'closes the connection')
        service.statusByPath.set(subscriber.path, STATUS_BY_BEHAVIOUR[behaviour]);
      return { token: subscriber.endpoint, keys: subscriber.keys };
    },
    received: () =>
      service.receivedPushes.flatMap((push) => {
        const subscriber = subscribers.get(push.path);
        if (!subscriber || service.statusByPath.get(push.path) !== 201) return [];
        const { ttl, urgency, topic } = push.headers;
        return [
          { content: subscriber.decryptPush(push), ttl: Number(ttl), urgent: urgency === 'high', topic: String(topic) },
        ];
      }),
    stop: () => service.stop(),
  };
});

test('WebPushProvider signs a message for the push service (RFC 8292) and encrypts it for the subscriber', async () => {
  const provider = new WebPushProvider(vapidDetails, true);
  const subscriber = new PushSubscriber(service.origin);
  await provider.send({ token: subscriber.endpoint, keys: subscriber.keys }, PUSH_MESSAGE);
  const [push] = service.pushesTo(subscriber);
  if (!push) throw new Error('No push was received');
  expect(await verifyVapid(push, service.origin, vapidDetails.publicKey)).toMatchObject({ sub: VAPID_SUBJECT });
  await expect(verifyVapid(push, 'https://elsewhere.example', vapidDetails.publicKey)).rejects.toThrow();
  expect(push.headers['content-encoding']).toBe('aes128gcm');
  expect(push.body.toString('latin1')).not.toContain('SOS');
  expect(() => new PushSubscriber(service.origin).decryptPush(push)).toThrow();
  const changed = Buffer.from(push.body);
  changed.writeUInt8(changed.readUInt8(changed.length - 1) ^ 1, changed.length - 1);
  expect(() => subscriber.decryptPush({ ...push, body: changed })).toThrow();
});

test('WebPushProvider sends nothing to an endpoint outside the public internet and returns TOKEN_INVALID', async () => {
  const provider = new WebPushProvider(vapidDetails, false);
  const { keys } = new PushSubscriber(service.origin);
  const port = new URL(service.origin).port;
  for (const token of [service.origin, `https://127.0.0.1:${port}/`, 'https://localhost/', 'https://10.0.0.1/x']) {
    expect(await provider.send({ token, keys }, PUSH_MESSAGE)).toBe('TOKEN_INVALID');
  }
  expect(service.receivedPushes).toEqual([]);
});

test('WebPushProvider returns TOKEN_INVALID for keys that cannot be used for encryption', async () => {
  const provider = new WebPushProvider(vapidDetails, true);
  const keys = { p256dh: randomBytes(65).toString('base64url'), auth: randomBytes(16).toString('base64url') };
  expect(await provider.send({ token: 'http://127.0.0.1:9/x', keys }, PUSH_MESSAGE)).toBe('TOKEN_INVALID');
  expect(await provider.send({ token: 'http://127.0.0.1:9/x', keys: null }, PUSH_MESSAGE)).toBe('TOKEN_INVALID');
});
