import type { Session } from '../../app/session/session-store.js';

export type PushRegistration =
  /** The browser has no Web Push, for example iOS before the page was added to the home screen. */
  | { readonly status: 'unsupported' }
  /** The person has blocked notifications in the browser. */
  | { readonly status: 'blocked' }
  | { readonly status: 'off' }
  | { readonly status: 'on'; readonly tokenId: string };

/** The person who wants notifications in this browser: another person who signs in here does not get them unasked. */
const STORED_USER = 'family-watch.push-user';

function isSupported(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
}

/**
 * Registers the push subscription of this browser for the session, if the person has enabled notifications before. The
 * service deletes the registration with the session, so that each session registers again.
 */
export async function renewPushRegistration(session: Session): Promise<PushRegistration> {
  if (!isSupported()) return { status: 'unsupported' };
  if (Notification.permission === 'denied') return { status: 'blocked' };
  if (localStorage.getItem(STORED_USER) !== session.userId) return { status: 'off' };
  const worker = await navigator.serviceWorker.getRegistration();
  const subscription = await worker?.pushManager.getSubscription();
  return subscription ? sendSubscription(session, subscription) : { status: 'off' };
}

/**
 * Asks the person for the permission and enables notifications in this browser. Must be called in the handler of a click,
 * as browsers demand.
 * @throws DOMException if the browser cannot subscribe to its push service
 */
export async function enablePush(session: Session, publicKey: string, language: string): Promise<PushRegistration> {
  const permission = await Notification.requestPermission();
  if (permission !== 'granted') return { status: permission === 'denied' ? 'blocked' : 'off' };
  await registerWorker(language);
  const { pushManager } = await navigator.serviceWorker.ready;
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  const registration = await sendSubscription(session, subscription);
  localStorage.setItem(STORED_USER, session.userId);
  return registration;
}

export async function disablePush({ client }: Session, tokenId: string): Promise<PushRegistration> {
  await client.notifications.deletePushToken({ tokenId });
  localStorage.removeItem(STORED_USER);
  const worker = await navigator.serviceWorker.getRegistration();
  const subscription = await worker?.pushManager.getSubscription();
  await subscription?.unsubscribe();
  return { status: 'off' };
}

/** The worker knows its language from its URL. */
export function registerWorker(language: string): Promise<ServiceWorkerRegistration> {
  return navigator.serviceWorker.register(`/service-worker.js?language=${language}`);
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
