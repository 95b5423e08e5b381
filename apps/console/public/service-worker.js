/* global self, navigator, caches */

/**
 * Opens the console without a connection, and shows push notifications. A notification names only the category of a
 * message, without personal data; the page loads the details. The page registers this worker with its language, so that
 * the texts of this file are in that language, and with the id of the person who wants notifications, if there is one.
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
  de: {
    SOS: 'SOS: Ein Kind ruft um Hilfe',
    FENCE: 'Ein Kind ist an einem Ort angekommen oder hat ihn verlassen',
    LOCATION: 'Neues zum Standort eines Kindes',
    BATTERY: 'Der Akku einer Uhr ist fast leer',
    WATCH: 'Neues von einer Uhr',
    CALL: 'Videoanruf',
    FAMILY: 'Neues aus Ihrer Familie',
    FRIEND: 'Neues von den Freunden eines Kindes',
    APPLICATION: 'Jemand möchte in die Familie aufgenommen werden',
    SIGN_IN: 'Eine Anmeldung an Ihrem Konto',
    ALBUM: 'Neues aus dem Album',
    ORDER: 'Neues zu einer Bestellung',
    FIRMWARE: 'Eine Uhr wurde aktualisiert',
    CHAT: 'Neue Nachricht',
    other: 'Neues aus Ihrer Familie',
    hint: 'Zum Ansehen öffnen.',
  },
  es: {
    SOS: 'SOS: un niño pide ayuda',
    FENCE: 'Un niño ha llegado a un lugar o ha salido de él',
    LOCATION: 'Novedades sobre la ubicación de un niño',
    BATTERY: 'La batería de un reloj está baja',
    WATCH: 'Novedades de un reloj',
    CALL: 'Videollamada',
    FAMILY: 'Novedades de su familia',
    FRIEND: 'Novedades de los amigos de un niño',
    APPLICATION: 'Una persona quiere unirse a la familia',
    SIGN_IN: 'Un inicio de sesión en su cuenta',
    ALBUM: 'Novedades del álbum',
    ORDER: 'Novedades de un pedido',
    FIRMWARE: 'Se ha actualizado un reloj',
    CHAT: 'Mensaje nuevo',
    other: 'Novedades de su familia',
    hint: 'Abra para ver más.',
  },
  ar: {
    SOS: 'SOS: طفل يطلب المساعدة',
    FENCE: 'وصل طفل إلى مكان أو غادره',
    LOCATION: 'جديد عن موقع طفل',
    BATTERY: 'بطارية إحدى الساعات منخفضة',
    WATCH: 'جديد عن إحدى الساعات',
    CALL: 'مكالمة فيديو',
    FAMILY: 'جديد من عائلتك',
    FRIEND: 'جديد عن أصدقاء طفل',
    APPLICATION: 'شخص يريد الانضمام إلى العائلة',
    SIGN_IN: 'تسجيل دخول إلى حسابك',
    ALBUM: 'جديد في الألبوم',
    ORDER: 'جديد عن طلب شراء',
    FIRMWARE: 'تم تحديث إحدى الساعات',
    CHAT: 'رسالة جديدة',
    other: 'جديد من عائلتك',
    hint: 'افتح لرؤية المزيد.',
  },
};

/** The page that shows the messages of a category. */
const PAGES = { CHAT: '/chat', FAMILY: '/family', APPLICATION: '/family', SIGN_IN: '/family/account' };

const parameters = new URL(self.location.href).searchParams;
const language = parameters.get('language') in TEXTS ? parameters.get('language') : 'en';

/** The files of the console, with a revision if the name has no digest. The build inserts them here. */
const FILES = self.__WB_MANIFEST ?? [];
const CACHE_PREFIX = 'console-files-';
/** The page contains the names of the scripts, so that its revision is that of the build. */
const CACHE = CACHE_PREFIX + FILES.find(({ url }) => url === 'index.html')?.revision;
/** A path at which the service has the page of all paths; `/` depends on the Accept header. */
const SHELL = '/children';
/** The first segments of the paths of the console, as in page-paths.json. */
const PAGE = /^\/(?:(?:album|chat|children|family|messages|operator|sign-in|watch|welcome)(?:\/|$)|$)/;
const CONFIG = '/console-config.json';
const PARALLEL_DOWNLOADS = 4;
/** How long a page waits for the network before it opens without it, milliseconds. */
const NETWORK_TIMEOUT_MS = 4_000;

self.addEventListener('install', (event) => {
  self.skipWaiting();
  event.waitUntil(storeFiles());
});
self.addEventListener('activate', (event) => event.waitUntil(Promise.all([deleteOldFiles(), self.clients.claim()])));

/** Only files of the console come from the cache, never data of the service. */
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (request.mode === 'navigate') {
    if (PAGE.test(pathname)) event.respondWith(fromNetworkFirst(request, SHELL));
  } else if (pathname === CONFIG) event.respondWith(fromNetworkFirst(request, CONFIG));
  else if (FILES.some(({ url }) => `/${url}` === pathname) || pathname.startsWith('/console-assets/'))
    event.respondWith(findFile(pathname).then((file) => file ?? fetch(request)));
});

/** Downloads what is missing. A download that fails is continued when the next page registers the worker. */
async function storeFiles() {
  const cache = await caches.open(CACHE);
  const paths = [CONFIG, ...FILES.map(({ url }) => (url === 'index.html' ? SHELL : `/${url}`))];
  const download = async () => {
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
      if (await cache.match(path, { ignoreVary: true })) continue;
      // A script of an earlier build with the same name has the same content.
      const known = path.startsWith('/console-assets/') ? await findFile(path) : undefined;
      const file = known ?? (await fetch(path));
      if (!file.ok) throw new Error(`${path}: status ${file.status}`);
      await cache.put(path, file);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_DOWNLOADS }, download));
}

/** Keeps the files of the build before, because pages that are open may still load them. */
async function deleteOldFiles() {
  const others = (await caches.keys()).filter((name) => name.startsWith(CACHE_PREFIX) && name !== CACHE);
  await Promise.all(others.slice(0, -1).map((name) => caches.delete(name)));
}

async function findFile(path) {
  const cache = await caches.open(CACHE);
  // Compressed or not, it is the same file.
  return (await cache.match(path, { ignoreVary: true })) ?? caches.match(path, { ignoreVary: true });
}

/** Responds from the network, or with the stored file if the service does not respond or is not available. */
async function fromNetworkFirst(request, path) {
  const stored = await findFile(path);
  if (!stored) return fetch(request);
  const timeout = new Promise((resolve) => setTimeout(resolve, NETWORK_TIMEOUT_MS));
  const response = await Promise.race([fetch(request).catch(() => undefined), timeout]);
  return response && response.status < 500 ? response : stored;
}

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

/** Pages that are not those of the signed-in person, and do not open others. */
const OTHER_PAGE = /^\/(?:operator|sign-in|watch)(?:\/|$)/;

/** Uses an open page of the person, which keeps what was typed there. */
async function showPage(page) {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const open = windows.find(({ url }) => !OTHER_PAGE.test(new URL(url).pathname));
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
