import { useDirection } from '@mantine/core';
import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router';
import { useEffect } from 'react';
import { directionOf, useLanguage } from '../core/texts.js';
import { registerServiceWorker } from '../core/service-worker.js';
import { sessionStore } from '../core/session/session-store.js';
import { whenIdle } from '../core/when-idle.js';
import { SignInPage } from '../features/accounts/sign-in-page.js';
import { lazyPage } from './lazy-route.js';
import { NotFoundPage } from './not-found-page.js';
import { RestoringPage } from './restoring-page.js';

/** What a person sees first after the sign-in is one file. */
function firstPage<Name extends keyof typeof import('./first-pages.js')>(name: Name) {
  return lazyPage(() => import('./first-pages.js'), name);
}

/** All other pages of a person are the second file. */
function page<Name extends keyof typeof import('./pages.js')>(name: Name) {
  return lazyPage(() => import('./pages.js'), name);
}

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
  component: SignInPage,
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
  component: page('SignInLinkPage'),
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
  component: firstPage('Shell'),
  pendingComponent: RestoringPage,
  beforeLoad: async ({ location }) => {
    const restored = sessionStore.restore();
    // The code comes while the session is restored.
    if (sessionStore.get().status === 'restoring') import('./first-pages.js').catch(() => undefined);
    await restored;
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
  component: firstPage('HomePage'),
});

/** The first visit of a person without a family. */
const welcome = createRoute({
  getParentRoute: () => signedIn,
  path: '/welcome',
  component: page('WelcomePage'),
});

/** After the sign-in with a link: an account that the operator has created has no password. */
const firstPassword = createRoute({
  getParentRoute: () => signedIn,
  path: '/welcome/password',
  component: page('FirstPasswordPage'),
});

const addChild = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/add',
  component: page('AddChildPage'),
});

const child = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid',
  component: page('ChildPageWithActions'),
});

const track = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/track',
  validateSearch: ({ day }: { day?: unknown }): { day?: string } =>
    typeof day === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(day)) ? { day } : {},
  component: page('TrackPage'),
});

const fences = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/fences',
  component: page('FencesPage'),
});

const addFence = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/fences/add',
  component: page('AddFencePage'),
});

const editFence = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/fences/$fenceId',
  component: page('EditFencePage'),
});

const shares = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/shares',
  component: page('SharesPage'),
});

const bindWatch = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/bind',
  component: page('BindWatchPage'),
});

/** The settings of one child's watch. */
const watchSettings = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/settings',
  component: page('WatchSettingsLayout'),
});

const watchSettingsPages = [
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/',
    component: page('SettingsIndexPage'),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/contacts',
    component: page('ContactsPage'),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/friends',
    component: page('FriendsPage'),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/alarms',
    component: page('AlarmsPage'),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/school-times',
    component: page('SchoolTimesPage'),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/strangers',
    component: page('StrangersPage'),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/device',
    component: page('DevicePage'),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/lost-mode',
    component: page('LostModePage'),
  }),
  createRoute({
    getParentRoute: () => watchSettings,
    path: '/remote-control',
    component: page('RemoteControlPage'),
  }),
] as const;

/** On a laptop, the list of the conversations beside one of them. */
const chat = createRoute({
  getParentRoute: () => signedIn,
  id: 'chat',
  component: page('ChatPanes'),
});

const conversations = createRoute({
  getParentRoute: () => chat,
  path: '/chat',
  component: page('ConversationsPage'),
});

const conversation = createRoute({
  getParentRoute: () => chat,
  path: '/chat/$conversationId',
  component: page('ConversationPage'),
});

const messages = createRoute({
  getParentRoute: () => signedIn,
  path: '/messages',
  // The message that a wide display shows beside the list.
  validateSearch: ({ message }: { message?: unknown }): { message?: string } =>
    typeof message === 'string' ? { message } : {},
  component: page('MessagesPage'),
});

const sos = createRoute({
  getParentRoute: () => signedIn,
  path: '/messages/sos/$cid/$sosId',
  component: page('SosPage'),
});

const calls = createRoute({
  getParentRoute: () => signedIn,
  path: '/chat/calls',
  component: page('CallsPage'),
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
  component: page('AlbumPage'),
});

const family = createRoute({
  getParentRoute: () => signedIn,
  path: '/family',
  component: page('FamilyPage'),
});

const joinFamily = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/join',
  // `code` of the link of an invitation.
  validateSearch: ({ code }: { code?: unknown }) => (typeof code === 'string' ? { code } : {}),
  component: page('JoinFamilyPage'),
});

const familyDetail = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/$familyId',
  component: page('FamilyDetailPage'),
});

const member = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/$familyId/members/$userId',
  component: page('MemberPage'),
});

const plans = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/$familyId/plans',
  component: page('PlansPage'),
});

const editChild = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/edit',
  component: page('EditChildPage'),
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/account',
  component: page('AccountPage'),
});

const privacy = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/account/privacy',
  component: page('PrivacyPage'),
});

const accessLog = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/account/access-log',
  component: page('AccessLogPage'),
});

const notificationSettings = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/account/notifications',
  component: page('NotificationsPage'),
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
