/* global self, navigator */

/**
 * Shows push notifications. A notification names only the category of a message, without personal data; the page loads
 * the details. The page registers this worker with its language, so that the texts of this file are in that language,
 * and with the id of the person who wants notifications.
 */

const TEXTS = {
  en: {
    SOS: 'SOS: a child calls for help',
    FENCE: 'A child has entered or left a place',
    LOCATION: 'News about the location of a child',
    BATTERY: 'The battery of a watch is low',
    WATCH: 'News about a watch',
    CALL: 'Video call',
    FAMILY: 'News from your family',
    FRIEND: 'News about friends of a child',
    APPLICATION: 'A person wants to join the family',
    SIGN_IN: 'A sign-in to your account',
    ALBUM: 'News from the album',
    ORDER: 'News about an order',
    FIRMWARE: 'A watch was updated',
    CHAT: 'New message',
    other: 'News from your family',
    hint: 'Open to see more.',
  },
  'zh-CN': {
    SOS: 'SOS：孩子正在求助',
    FENCE: '孩子到达或离开了某个地点',
    LOCATION: '孩子的位置有新消息',
    BATTERY: '手表电量低',
    WATCH: '手表有新消息',
    CALL: '视频通话',
    FAMILY: '家庭有新消息',
    FRIEND: '孩子的好友有新消息',
    APPLICATION: '有人申请加入家庭',
    SIGN_IN: '您的账号有新的登录',
    ALBUM: '相册有新消息',
    ORDER: '订单有新消息',
    FIRMWARE: '手表已更新',
    CHAT: '新消息',
    other: '家庭有新消息',
    hint: '打开查看。',
  },
};

/** The page that shows the messages of a category. */
const PAGES = { CHAT: '/chat', FAMILY: '/family', APPLICATION: '/family', SIGN_IN: '/family/account' };

const parameters = new URL(self.location.href).searchParams;
const language = parameters.get('language') === 'zh-CN' ? 'zh-CN' : 'en';

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('push', (event) => {
  const { category = 'other', cid } = readContent(event.data);
  const texts = TEXTS[language];
  event.waitUntil(
    self.registration.showNotification(texts[category] ?? texts.other, {
      body: texts.hint,
      icon: '/icon-192.png',
      lang: language,
      // One notification per category and child: a further one replaces it, and makes a sound again.
      tag: `${category}:${cid ?? ''}`,
      renotify: true,
      requireInteraction: category === 'SOS',
      data: { page: PAGES[category] ?? '/' },
    }),
  );
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(showPage(event.notification.data.page));
});

/** The browser has replaced or ended the subscription, also while no page is open. */
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renewSubscription()));

/** Subscribes again, and registers the subscription for the session of this browser, as the next page does otherwise. */
async function renewSubscription() {
  // The pages refresh their tokens under the same lock, because all of them use one cookie.
  const { accessToken, userId } = await navigator.locks.request('family-watch-refresh-token', () =>
    call('POST', 'userctx/user/account/token/refresh', { body: { refreshTokenCookie: true } }),
  );
  // Another person who signs in here does not get notifications unasked.
  if (userId !== parameters.get('user')) return;
  const { webPushKey } = await call('GET', 'message/subscription/get', { accessToken });
  const { pushManager } = self.registration;
  const subscription =
    (await pushManager.getSubscription()) ??
    (await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: webPushKey }));
  const { endpoint, keys } = subscription.toJSON();
  const body = { service: 'WEB_PUSH', token: endpoint, keys };
  await call('POST', 'message/push-token/create', { accessToken, body });
}

async function call(method, path, { accessToken, body }) {
  const response = await fetch(`/apis/v2/${path}`, {
    method,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(accessToken && { authorization: `Bearer ${accessToken}` }),
    },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: status ${response.status}`);
  return response.json();
}

/** Uses an open page, which keeps what was typed there. */
async function showPage(page) {
  const [open] = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (!open) return self.clients.openWindow(page);
  await open.focus();
  open.postMessage({ page });
}

function readContent(data) {
  try {
    return data?.json() ?? {};
  } catch {
    return {};
  }
}
