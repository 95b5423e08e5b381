import { useDirection } from '@mantine/core';
import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router';
import { useEffect } from 'react';
import { directionOf, useLanguage } from '../core/texts.js';
import { registerServiceWorker } from '../core/service-worker.js';
import { sessionStore } from '../core/session/session-store.js';
import { whenIdle } from '../core/when-idle.js';
import { lazyPage } from './lazy-route.js';
import { NotFoundPage } from './not-found-page.js';
import { RestoringPage } from './restoring-page.js';

const root = createRootRoute({ component: Root, notFoundComponent: NotFoundPage });

function Root() {
  const [language] = useLanguage();
  const { setDirection } = useDirection();
  useEffect(() => setDirection(directionOf(language)), [setDirection, language]);
  useEffect(() => {
    // Without the worker, the console needs a connection; the next page tries again.
    if ('serviceWorker' in navigator)
      return whenIdle(() => void registerServiceWorker(language).catch(() => undefined));
    return undefined;
  }, [language]);
  return <Outlet />;
}

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ next }: { next?: unknown }) =>
    typeof next === 'string' && /^\/(?!\/)/.test(next) ? { next } : {},
  pendingComponent: RestoringPage,
  beforeLoad: async ({ search: { next = '/children' }, location: { hash } }) => {
    const linkToken = /^token=(.+)$/.exec(hash)?.[1];
    // The token leaves the address, which browsers keep and show.
    if (linkToken !== undefined) throw redirect({ to: '/sign-in/link', replace: true, state: { linkToken } });
    await sessionStore.restore();
    if (sessionStore.get().status === 'signed-in') throw redirect({ to: next, replace: true });
  },
  component: lazyPage(() => import('../features/accounts/sign-in-page.js'), 'SignInPage'),
});

/** A sign-in with a link of the operator, also for a person who is signed in already. */
const signInLink = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/link',
  pendingComponent: RestoringPage,
  beforeLoad: async ({ location: { state } }) => {
    await sessionStore.restore();
    if (state.linkToken === undefined) throw redirect({ to: '/sign-in', replace: true });
  },
  component: lazyPage(() => import('../features/accounts/sign-in-link-page.js'), 'SignInLinkPage'),
});

/** The simulated watch: a client of its own, without the session of a person. */
const browserWatch = createRoute({
  getParentRoute: () => root,
  path: '/watch',
  component: lazyPage(() => import('../watch/watch-page.js'), 'WatchPage'),
});

/** The page of operators, without the session of a person. Its pages are below. */
const operator = createRoute({
  getParentRoute: () => root,
  path: '/operator',
  component: operatorPage('OperatorShell'),
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
  component: lazyPage(() => import('./home-page.js'), 'HomePage'),
});

/** The first visit of a person without a family. */
const welcome = createRoute({
  getParentRoute: () => signedIn,
  path: '/welcome',
  component: lazyPage(() => import('../features/families/children/welcome-page.js'), 'WelcomePage'),
});

/** After the sign-in with a link: an account that the operator has created has no password. */
const firstPassword = createRoute({
  getParentRoute: () => signedIn,
  path: '/welcome/password',
  component: lazyPage(() => import('../features/accounts/first-password-page.js'), 'FirstPasswordPage'),
});

const addChild = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/add',
  component: lazyPage(() => import('../features/families/children/add-child-page.js'), 'AddChildPage'),
});

const child = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid',
  component: lazyPage(() => import('./child-page.js'), 'ChildPageWithActions'),
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
  component: lazyPage(() => import('../features/locations/fences/fences-page.js'), 'FencesPage'),
});

const addFence = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/fences/add',
  component: lazyPage(() => import('../features/locations/fences/add-fence-page.js'), 'AddFencePage'),
});

const editFence = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/fences/$fenceId',
  component: lazyPage(() => import('../features/locations/fences/edit-fence-page.js'), 'EditFencePage'),
});

const shares = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/shares',
  component: lazyPage(() => import('../features/locations/shares-page.js'), 'SharesPage'),
});

const bindWatch = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/bind',
  component: lazyPage(() => import('../features/families/children/bind-watch-page.js'), 'BindWatchPage'),
});

/** The settings of one child's watch. */
const watchSettings = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/settings',
  component: lazyPage(() => import('../features/families/watch-settings/settings-layout.js'), 'WatchSettingsLayout'),
});

const watchSettingsPages = [
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/',
    component: lazyPage(
      () => import('../features/families/watch-settings/settings-index-page.js'),
      'SettingsIndexPage',
    ),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/contacts',
    component: lazyPage(() => import('../features/families/watch-settings/contacts-page.js'), 'ContactsPage'),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/friends',
    component: lazyPage(() => import('../features/families/watch-settings/friends-page.js'), 'FriendsPage'),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/alarms',
    component: lazyPage(() => import('../features/families/watch-settings/alarms-page.js'), 'AlarmsPage'),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/school-times',
    component: lazyPage(() => import('../features/families/watch-settings/school-times-page.js'), 'SchoolTimesPage'),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/strangers',
    component: lazyPage(() => import('../features/families/watch-settings/strangers-page.js'), 'StrangersPage'),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/device',
    component: lazyPage(() => import('../features/families/watch-settings/device-page.js'), 'DevicePage'),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/lost-mode',
    component: lazyPage(() => import('../features/families/watch-settings/lost-mode-page.js'), 'LostModePage'),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/remote-control',
    component: lazyPage(
      () => import('../features/families/watch-settings/remote-control-page.js'),
      'RemoteControlPage',
    ),
  }),
] as const;

/** On a laptop, the list of the conversations beside one of them. */
const chat = createRoute({
  getParentRoute: () => signedIn,
  id: 'chat',
  component: lazyPage(() => import('../features/conversations/chat-panes.js'), 'ChatPanes'),
});

const conversations = createRoute({
  getParentRoute: () => chat,
  path: '/chat',
  component: lazyPage(() => import('../features/conversations/conversations-page.js'), 'ConversationsPage'),
});

const conversation = createRoute({
  getParentRoute: () => chat,
  path: '/chat/$conversationId',
  component: lazyPage(() => import('../features/conversations/conversation-page.js'), 'ConversationPage'),
});

const messages = createRoute({
  getParentRoute: () => signedIn,
  path: '/messages',
  // The message that a wide display shows beside the list.
  validateSearch: ({ message }: { message?: unknown }): { message?: string } =>
    typeof message === 'string' ? { message } : {},
  component: lazyPage(() => import('../features/notices/message-center/messages-page.js'), 'MessagesPage'),
});

const sos = createRoute({
  getParentRoute: () => signedIn,
  path: '/messages/sos/$cid/$sosId',
  component: lazyPage(() => import('../features/notices/sos/sos-page.js'), 'SosPage'),
});

const calls = createRoute({
  getParentRoute: () => signedIn,
  path: '/chat/calls',
  component: lazyPage(() => import('../features/conversations/calls/calls-page.js'), 'CallsPage'),
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
  component: lazyPage(() => import('../features/conversations/album/album-page.js'), 'AlbumPage'),
});

const family = createRoute({
  getParentRoute: () => signedIn,
  path: '/family',
  component: lazyPage(() => import('../features/families/family/family-page.js'), 'FamilyPage'),
});

const joinFamily = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/join',
  // `code` of the link of an invitation.
  validateSearch: ({ code }: { code?: unknown }) => (typeof code === 'string' ? { code } : {}),
  component: lazyPage(() => import('../features/families/family/join-family-page.js'), 'JoinFamilyPage'),
});

const familyDetail = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/$familyId',
  component: lazyPage(() => import('../features/families/family/family-detail-page.js'), 'FamilyDetailPage'),
});

const member = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/$familyId/members/$userId',
  component: lazyPage(() => import('../features/families/family/member-page.js'), 'MemberPage'),
});

const plans = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/$familyId/plans',
  component: lazyPage(() => import('../features/families/payments/plans-page.js'), 'PlansPage'),
});

const editChild = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/edit',
  component: lazyPage(() => import('../features/families/children/edit-child-page.js'), 'EditChildPage'),
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
  component: lazyPage(() => import('../features/families/access-log/access-log-page.js'), 'AccessLogPage'),
});

const notificationSettings = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/account/notifications',
  component: lazyPage(() => import('../features/notices/notifications/notifications-page.js'), 'NotificationsPage'),
});

/** All pages of operators are in one file, which parents do not load. */
function operatorPage<Name extends keyof typeof import('../operator/operator-pages.js')>(name: Name) {
  return lazyPage(() => import('../operator/operator-pages.js'), name);
}

const operatorPages = [
  createRoute({ getParentRoute: () => operator, path: '/', component: operatorPage('OperatorHome') }),
  createRoute({ getParentRoute: () => operator, path: '/people', component: operatorPage('PeoplePage') }),
  createRoute({ getParentRoute: () => operator, path: '/people/$userId', component: operatorPage('PersonPage') }),
  createRoute({ getParentRoute: () => operator, path: '/families', component: operatorPage('FamiliesPage') }),
  createRoute({ getParentRoute: () => operator, path: '/families/$familyId', component: operatorPage('FamilyPage') }),
  createRoute({ getParentRoute: () => operator, path: '/watches', component: operatorPage('WatchesPage') }),
  createRoute({ getParentRoute: () => operator, path: '/watches/$did', component: operatorPage('WatchPage') }),
  createRoute({ getParentRoute: () => operator, path: '/enrolment', component: operatorPage('EnrolmentPage') }),
  createRoute({ getParentRoute: () => operator, path: '/images', component: operatorPage('ImagesPage') }),
  createRoute({ getParentRoute: () => operator, path: '/groups', component: operatorPage('GroupsPage') }),
  createRoute({ getParentRoute: () => operator, path: '/groups/$groupId', component: operatorPage('GroupPage') }),
  createRoute({ getParentRoute: () => operator, path: '/rollouts', component: operatorPage('RolloutsPage') }),
  createRoute({ getParentRoute: () => operator, path: '/rollouts/$rolloutId', component: operatorPage('RolloutPage') }),
  createRoute({ getParentRoute: () => operator, path: '/releases', component: operatorPage('ReleasesPage') }),
  createRoute({ getParentRoute: () => operator, path: '/products', component: operatorPage('ProductsPage') }),
  createRoute({ getParentRoute: () => operator, path: '/orders', component: operatorPage('OrdersPage') }),
  createRoute({ getParentRoute: () => operator, path: '/bus', component: operatorPage('BusPage') }),
  createRoute({ getParentRoute: () => operator, path: '/operators', component: operatorPage('OperatorsPage') }),
  createRoute({ getParentRoute: () => operator, path: '/audit', component: operatorPage('AuditPage') }),
  createRoute({ getParentRoute: () => operator, path: '/account', component: operatorPage('AccountPage') }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    signIn,
    signInLink,
    browserWatch,
    operator.addChildren(operatorPages),
    signedIn.addChildren([
      children,
      welcome,
      firstPassword,
      addChild,
      child,
      track,
      fences,
      addFence,
      editFence,
      shares,
      bindWatch,
      watchSettings.addChildren(watchSettingsPages),
      chat.addChildren([conversations, conversation]),
      messages,
      sos,
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
  interface HistoryState {
    /** Token of a sign-in link. */
    linkToken?: string;
  }
}
