import { Alert, AppShell, Box, Group, NavLink, Text, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { TbHome, TbMessageCircle, TbPhoto, TbUsers, TbWifiOff } from 'react-icons/tb';
import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { Session } from '../core/session/session-store.js';
import { SessionContext, useSessionState } from '../core/session/use-session.js';
import { whenIdle } from '../core/when-idle.js';
import { ProfileMenu } from '../features/accounts/profile-menu.js';
import { StepUpProvider } from '../features/accounts/step-up.js';
import { CallOverlay } from '../features/conversations/calls/call-overlay.js';
import { UnreadIcon } from '../features/notices/message-center/unread-icon.js';
import { usePush } from '../features/notices/notifications/use-push.js';
import { SosWatcher } from '../features/notices/sos/sos-watcher.js';
import { RelativeTime } from '../ui/relative-time.js';
import { UnsavedChangesDialog } from '../ui/unsaved-changes.js';
import { ConnectionContext } from '../core/session/connection.js';
import { useLiveUpdates } from './live-updates.js';
import { SkipLink } from './skip-link.js';
import { usePageHeading } from './use-page-heading.js';

const TABS = [
  { to: '/children', text: 'children', Icon: TbHome },
  { to: '/chat', text: 'chat', Icon: TbMessageCircle },
  { to: '/album', text: 'album', Icon: TbPhoto },
  { to: '/messages', text: 'messages', Icon: UnreadIcon },
  { to: '/family', text: 'family', Icon: TbUsers },
] as const;

const BAR_HEIGHT = 64;
const HEADER_HEIGHT = 48;
const RAIL_WIDTH = 220;

/** The frame of all pages of a signed-in person: a bar at the bottom of a phone, a rail on a desktop. */
export function Shell() {
  const state = useSessionState();
  // The router leaves these pages when the session ends.
  if (state.status !== 'signed-in') return null;
  return (
    <SessionContext value={state.session}>
      <Frame session={state.session} />
    </SessionContext>
  );
}

function Frame({ session }: { session: Session }) {
  const { t } = useTranslation('shell');
  const { t: tAccounts } = useTranslation('accounts');
  const connection = useLiveUpdates(session);
  const { isConnected, connectedAt } = connection;
  usePush(session);
  useIdleWork(session);
  usePageHeading(session);
  const isDesktop = useMediaQuery('(min-width: 48em)', undefined, { getInitialValueInEffect: false });
  const { pathname } = useLocation();
  // Other pages have their title and the way back there.
  const hasHeader = !isDesktop && TABS.some(({ to }) => to === pathname);
  return (
    <AppShell
      padding="md"
      header={{ height: HEADER_HEIGHT, collapsed: !hasHeader }}
      navbar={{ width: RAIL_WIDTH, breakpoint: 'sm', collapsed: { mobile: true } }}
      footer={{ height: BAR_HEIGHT, collapsed: isDesktop }}
    >
      <SkipLink />
      {hasHeader && (
        <AppShell.Header withBorder={false}>
          <Group h={HEADER_HEIGHT} px="md" justify="space-between">
            <Text fw={600} c="dimmed">
              {tAccounts('title')}
            </Text>
            <ProfileMenu />
          </Group>
        </AppShell.Header>
      )}
      {isDesktop ? (
        <AppShell.Navbar p="sm" aria-label={t('navigation')}>
          {TABS.map(({ to, text, Icon }) => (
            <NavLink
              key={to}
              renderRoot={(props) => <Link {...props} to={to} />}
              label={t(text)}
              leftSection={<Icon aria-hidden />}
              active={pathname.startsWith(to)}
            />
          ))}
          <Box mt="auto">
            <ProfileMenu isWide />
          </Box>
        </AppShell.Navbar>
      ) : (
        <AppShell.Footer component="nav" aria-label={t('navigation')}>
          <Group grow h={BAR_HEIGHT} gap={0}>
            {TABS.map(({ to, text, Icon }) => {
              const isActive = pathname.startsWith(to);
              return (
                <UnstyledButton
                  key={to}
                  renderRoot={(props) => <Link {...props} to={to} />}
                  h={BAR_HEIGHT}
                  ta="center"
                  c={isActive ? 'var(--mantine-color-anchor)' : 'dimmed'}
                  aria-current={isActive ? 'page' : undefined}
                >
                  <Icon aria-hidden />
                  <Text size="xs">{t(text)}</Text>
                </UnstyledButton>
              );
            })}
          </Group>
        </AppShell.Footer>
      )}
      <AppShell.Main display="flex" style={{ flexDirection: 'column' }}>
        {!isConnected && (
          <Alert color="gray" variant="light" mb="md" icon={<TbWifiOff />} role="status">
            {connectedAt === undefined ? (
              t('disconnected')
            ) : (
              <>
                {t('lastKnown')} <RelativeTime time={connectedAt} />
              </>
            )}
          </Alert>
        )}
        <SosWatcher isConnected={isConnected} />
        <StepUpProvider>
          <ConnectionContext value={connection}>
            <Outlet />
          </ConnectionContext>
        </StepUpProvider>
        <CallOverlay />
        <UnsavedChangesDialog />
      </AppShell.Main>
    </AppShell>
  );
}

/** What must not delay the first page: the code of the other main pages, and what an earlier page has not sent. */
function useIdleWork(session: Session): void {
  const router = useRouter();
  const queries = useQueryClient();
  useEffect(
    () =>
      whenIdle(() => {
        for (const { to } of TABS) void router.preloadRoute({ to });
        // Without this code, the next page tries again.
        import('../features/conversations/continue-sending.js')
          .then(({ continueSending }) => session.ended.aborted || continueSending(session, queries))
          .catch(() => undefined);
      }),
    [session, router, queries],
  );
}
