import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router';
import { lazyPage } from './lazy-page.js';
import { NotFoundPage } from './not-found-page.js';
import { RestoringPage } from './session/restoring-page.js';
import { sessionStore } from './session/session-store.js';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ next }: { next?: unknown }) =>
    typeof next === 'string' && /^\/(?!\/)/.test(next) ? { next } : {},
  pendingComponent: RestoringPage,
  beforeLoad: async ({ search: { next = '/children' } }) => {
    await sessionStore.restore();
    if (sessionStore.get().status === 'signed-in') throw redirect({ to: next, replace: true });
  },
  component: lazyPage(() => import('../features/accounts/sign-in-page.js'), 'SignInPage'),
});

/** The simulated watch: a client of its own, without the session of a person. */
const browserWatch = createRoute({
  getParentRoute: () => root,
  path: '/watch',
  component: lazyPage(() => import('../watch/watch-page.js'), 'WatchPage'),
});

/** The pages of a signed-in person. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: lazyPage(() => import('./shell.js'), 'Shell'),
  pendingComponent: RestoringPage,
  beforeLoad: async ({ location }) => {
    await sessionStore.restore();
    if (sessionStore.get().status === 'signed-in') return;
    throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } });
  },
});

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/children' });
  },
});

const children = createRoute({
  getParentRoute: () => signedIn,
  path: '/children',
  component: lazyPage(() => import('../features/children/children-page.js'), 'ChildrenPage'),
});

/** The first visit of a person without a family. */
const welcome = createRoute({
  getParentRoute: () => signedIn,
  path: '/welcome',
  component: lazyPage(() => import('../features/children/welcome-page.js'), 'WelcomePage'),
});

const addChild = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/add',
  component: lazyPage(() => import('../features/children/add-child-page.js'), 'AddChildPage'),
});

const child = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid',
  component: lazyPage(() => import('../features/children/child-page.js'), 'ChildPage'),
});

const track = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/track',
  validateSearch: ({ day }: { day?: unknown }): { day?: string } =>
    typeof day === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(day)) ? { day } : {},
  component: lazyPage(() => import('../features/locations/track-page.js'), 'TrackPage'),
});

const fences = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/fences',
  component: lazyPage(() => import('../features/fences/fences-page.js'), 'FencesPage'),
});

const addFence = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/fences/add',
  component: lazyPage(() => import('../features/fences/add-fence-page.js'), 'AddFencePage'),
});

const editFence = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/fences/$fenceId',
  component: lazyPage(() => import('../features/fences/edit-fence-page.js'), 'EditFencePage'),
});

const shares = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/shares',
  component: lazyPage(() => import('../features/locations/shares-page.js'), 'SharesPage'),
});

const bindWatch = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/bind',
  component: lazyPage(() => import('../features/children/bind-watch-page.js'), 'BindWatchPage'),
});

/** The settings of one child's watch. */
const watchSettings = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/settings',
  component: lazyPage(() => import('../features/watch-settings/settings-layout.js'), 'WatchSettingsLayout'),
});

const watchSettingsPages = [
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/',
    component: lazyPage(() => import('../features/watch-settings/settings-index-page.js'), 'SettingsIndexPage'),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/contacts',
    component: lazyPage(() => import('../features/watch-settings/contacts-page.js'), 'ContactsPage'),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/friends',
    component: lazyPage(() => import('../features/watch-settings/friends-page.js'), 'FriendsPage'),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/alarms',
    component: lazyPage(() => import('../features/watch-settings/alarms-page.js'), 'AlarmsPage'),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/school-times',
    component: lazyPage(() => import('../features/watch-settings/school-times-page.js'), 'SchoolTimesPage'),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/strangers',
    component: lazyPage(() => import('../features/watch-settings/strangers-page.js'), 'StrangersPage'),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/device',
    component: lazyPage(() => import('../features/watch-settings/device-page.js'), 'DevicePage'),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/lost-mode',
    component: lazyPage(() => import('../features/watch-settings/lost-mode-page.js'), 'LostModePage'),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/remote-control',
    component: lazyPage(() => import('../features/watch-settings/remote-control-page.js'), 'RemoteControlPage'),
  }),
] as const;

const conversations = createRoute({
  getParentRoute: () => signedIn,
  path: '/chat',
  component: lazyPage(() => import('../features/conversations/conversations-page.js'), 'ConversationsPage'),
});

const conversation = createRoute({
  getParentRoute: () => signedIn,
  path: '/chat/$conversationId',
  component: lazyPage(() => import('../features/conversations/conversation-page.js'), 'ConversationPage'),
});

const messages = createRoute({
  getParentRoute: () => signedIn,
  path: '/messages',
  component: lazyPage(() => import('../features/message-center/messages-page.js'), 'MessagesPage'),
});

const calls = createRoute({
  getParentRoute: () => signedIn,
  path: '/chat/calls',
  component: lazyPage(() => import('../features/calls/calls-page.js'), 'CallsPage'),
});

const album = createRoute({
  getParentRoute: () => signedIn,
  path: '/album',
  validateSearch: ({
    view,
    album,
  }: {
    view?: unknown;
    album?: unknown;
  }): { view?: 'albums' | 'bin'; album?: string } => ({
    ...(view === 'albums' || view === 'bin' ? { view } : {}),
    ...(typeof album === 'string' ? { album } : {}),
  }),
  component: lazyPage(() => import('../features/album/album-page.js'), 'AlbumPage'),
});

const family = createRoute({
  getParentRoute: () => signedIn,
  path: '/family',
  component: lazyPage(() => import('../features/family/family-page.js'), 'FamilyPage'),
});

const joinFamily = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/join',
  // `code` of the link of an invitation.
  validateSearch: ({ code }: { code?: unknown }) => (typeof code === 'string' ? { code } : {}),
  component: lazyPage(() => import('../features/family/join-family-page.js'), 'JoinFamilyPage'),
});

const familyDetail = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/$familyId',
  component: lazyPage(() => import('../features/family/family-detail-page.js'), 'FamilyDetailPage'),
});

const member = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/$familyId/members/$userId',
  component: lazyPage(() => import('../features/family/member-page.js'), 'MemberPage'),
});

const plans = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/$familyId/plans',
  component: lazyPage(() => import('../features/payments/plans-page.js'), 'PlansPage'),
});

const editChild = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/edit',
  component: lazyPage(() => import('../features/children/edit-child-page.js'), 'EditChildPage'),
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/account',
  component: lazyPage(() => import('../features/accounts/account-page.js'), 'AccountPage'),
});

const privacy = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/account/privacy',
  component: lazyPage(() => import('../features/accounts/privacy-page.js'), 'PrivacyPage'),
});

const accessLog = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/account/access-log',
  component: lazyPage(() => import('../features/accounts/access-log-page.js'), 'AccessLogPage'),
});

const notificationSettings = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/account/notifications',
  component: lazyPage(() => import('../features/notifications/notifications-page.js'), 'NotificationsPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    signIn,
    browserWatch,
    signedIn.addChildren([
      children,
      welcome,
      addChild,
      child,
      track,
      fences,
      addFence,
      editFence,
      shares,
      bindWatch,
      watchSettings.addChildren(watchSettingsPages),
      conversations,
      conversation,
      messages,
      album,
      calls,
      family,
      joinFamily,
      familyDetail,
      member,
      plans,
      editChild,
      account,
      privacy,
      accessLog,
      notificationSettings,
    ]),
  ]),
  defaultPreload: 'intent',
  defaultPendingMs: 200,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
