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

const calls = createRoute({
  getParentRoute: () => signedIn,
  path: '/chat/calls',
  component: lazyRouteComponent(() => import('../features/calls/calls-page.js'), 'CallsPage'),
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
  component: lazyRouteComponent(() => import('../features/album/album-page.js'), 'AlbumPage'),
});

const family = createRoute({
  getParentRoute: () => signedIn,
  path: '/family',
  component: lazyRouteComponent(() => import('../features/family/family-page.js'), 'FamilyPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    signIn,
    browserWatch,
    signedIn.addChildren([children, addChild, bindWatch, conversations, conversation, calls, album, family]),
  ]),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
