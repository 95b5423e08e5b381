import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { NotFoundPage } from './not-found-page.js';
import { sessionStore } from './session/session-store.js';
import { Shell } from './shell.js';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ next }: { next?: unknown }) =>
    typeof next === 'string' && /^\/(?!\/)/.test(next) ? { next } : {},
  component: lazyRouteComponent(() => import('../features/accounts/sign-in-page.js'), 'SignInPage'),
});

/** The simulated watch: a client of its own, without the session of a person. */
const browserWatch = createRoute({
  getParentRoute: () => root,
  path: '/watch',
  component: lazyRouteComponent(() => import('../watch/watch-page.js'), 'WatchPage'),
});

/** The pages of a signed-in person. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Shell,
  beforeLoad: ({ location }) => {
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
  component: lazyRouteComponent(() => import('../features/children/children-page.js'), 'ChildrenPage'),
});

/** The first visit of a person without a family. */
const welcome = createRoute({
  getParentRoute: () => signedIn,
  path: '/welcome',
  component: lazyRouteComponent(() => import('../features/children/welcome-page.js'), 'WelcomePage'),
});

const addChild = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/add',
  component: lazyRouteComponent(() => import('../features/children/add-child-page.js'), 'AddChildPage'),
});

const bindWatch = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/bind',
  component: lazyRouteComponent(() => import('../features/children/bind-watch-page.js'), 'BindWatchPage'),
});

const conversations = createRoute({
  getParentRoute: () => signedIn,
  path: '/chat',
  component: lazyRouteComponent(() => import('../features/conversations/conversations-page.js'), 'ConversationsPage'),
});

const conversation = createRoute({
  getParentRoute: () => signedIn,
  path: '/chat/$conversationId',
  component: lazyRouteComponent(() => import('../features/conversations/conversation-page.js'), 'ConversationPage'),
});

const family = createRoute({
  getParentRoute: () => signedIn,
  path: '/family',
  component: lazyRouteComponent(() => import('../features/family/family-page.js'), 'FamilyPage'),
});

const joinFamily = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/join',
  // `code` of the link of an invitation.
  validateSearch: ({ code }: { code?: unknown }) => (typeof code === 'string' ? { code } : {}),
  component: lazyRouteComponent(() => import('../features/family/join-family-page.js'), 'JoinFamilyPage'),
});

const familyDetail = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/$familyId',
  component: lazyRouteComponent(() => import('../features/family/family-detail-page.js'), 'FamilyDetailPage'),
});

const member = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/$familyId/members/$userId',
  component: lazyRouteComponent(() => import('../features/family/member-page.js'), 'MemberPage'),
});

const plans = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/$familyId/plans',
  component: lazyRouteComponent(() => import('../features/payments/plans-page.js'), 'PlansPage'),
});

const editChild = createRoute({
  getParentRoute: () => signedIn,
  path: '/children/$cid/edit',
  component: lazyRouteComponent(() => import('../features/children/edit-child-page.js'), 'EditChildPage'),
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/account',
  component: lazyRouteComponent(() => import('../features/accounts/account-page.js'), 'AccountPage'),
});

const privacy = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/account/privacy',
  component: lazyRouteComponent(() => import('../features/accounts/privacy-page.js'), 'PrivacyPage'),
});

const accessLog = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/account/access-log',
  component: lazyRouteComponent(() => import('../features/accounts/access-log-page.js'), 'AccessLogPage'),
});

const notificationSettings = createRoute({
  getParentRoute: () => signedIn,
  path: '/family/account/notifications',
  component: lazyRouteComponent(() => import('../features/notifications/notifications-page.js'), 'NotificationsPage'),
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
      bindWatch,
      conversations,
      conversation,
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
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
