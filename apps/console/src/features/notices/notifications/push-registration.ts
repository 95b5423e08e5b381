import { pushUser, registerServiceWorker, setPushUser } from '../../../core/service-worker.js';
import type { Session } from '../../../core/session/session-store.js';

export type PushRegistration =
  /** The browser has no Web Push, for example iOS before the page was added to the home screen. */
  | { readonly status: 'unsupported' }
  /** The person has blocked notifications in the browser. */
  | { readonly status: 'blocked' }
  | { readonly status: 'off' }
  | { readonly status: 'on'; readonly tokenId: string };

function isSupported(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
}

/**
 * Registers the push subscription of this browser for the session, if the person has enabled notifications before. The
 * service deletes the registration with the session, so that each session registers again. Subscribes again if the
 * browser has ended the subscription, or if the service has another key than at the subscription.
 */
export async function renewPushRegistration(session: Session): Promise<PushRegistration> {
  if (!isSupported()) return { status: 'unsupported' };
  if (Notification.permission === 'denied') return { status: 'blocked' };
  const isEnabled = Notification.permission === 'granted' && pushUser() === session.userId;
  const worker = isEnabled ? await navigator.serviceWorker.getRegistration() : undefined;
  if (!worker) return { status: 'off' };
  const { webPushKey } = await session.client.notifications.getSubscription();
  return webPushKey === null ? { status: 'off' } : subscribe(session, worker, webPushKey);
}

/**
 * Asks the person for the permission and enables notifications in this browser. Must be called in the handler of a click,
 * as browsers demand.
 * @throws DOMException if the browser cannot subscribe to its push service
 */
export async function enablePush(session: Session, publicKey: string, language: string): Promise<PushRegistration> {
  const permission = await Notification.requestPermission();
  if (permission !== 'granted') return { status: permission === 'denied' ? 'blocked' : 'off' };
  await registerServiceWorker(language, session.userId);
  const registration = await subscribe(session, await navigator.serviceWorker.ready, publicKey);
  setPushUser(session.userId);
  return registration;
}

export async function disablePush({ client }: Session, tokenId: string): Promise<PushRegistration> {
  await client.notifications.deletePushToken({ tokenId });
  setPushUser(null);
  const worker = await navigator.serviceWorker.getRegistration();
  const subscription = await worker?.pushManager.getSubscription();
  await subscription?.unsubscribe();
  return { status: 'off' };
}

async function subscribe(
  session: Session,
  { pushManager }: ServiceWorkerRegistration,
  publicKey: string,
): Promise<PushRegistration> {
  const current = await pushManager.getSubscription();
  const isUsable = current !== null && keyOf(current) === publicKey;
  // A browser refuses a second subscription with another key.
  if (current && !isUsable) await current.unsubscribe();
  const subscription = isUsable
    ? current
    : await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  return sendSubscription(session, subscription);
}

/** Returns the key of the service for which the browser has subscribed, base64url without padding. */
function keyOf({ options }: PushSubscription): string {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer());
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

async function sendSubscription({ client }: Session, subscription: PushSubscription): Promise<PushRegistration> {
  const { endpoint, keys = {} } = subscription.toJSON();
  const { p256dh = '', auth = '' } = keys;
  const { tokenId } = await client.notifications.createPushToken({
    service: 'WEB_PUSH',
    token: endpoint ?? subscription.endpoint,
    keys: { p256dh, auth },
  });
  return { status: 'on', tokenId };
}
