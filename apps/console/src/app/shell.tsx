import { Alert, AppShell, Group, NavLink, Text, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { TbHome, TbMessageCircle, TbPhoto, TbUsers, TbWifiOff } from 'react-icons/tb';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { CallOverlay } from '../features/calls/call-overlay.js';
import { usePush } from '../features/notifications/use-push.js';
import { StepUpProvider } from '../features/accounts/step-up.js';
import { UnreadIcon } from '../features/message-center/unread-icon.js';
import { SosWatcher } from '../features/sos/sos-watcher.js';
import { defineTexts, useTexts } from './texts.js';
import { useLiveUpdates } from './live-updates.js';
import type { Session } from './session/session-store.js';
import { SessionContext, useSessionState } from './session/use-session.js';

const texts = defineTexts('shell', {
  en: {
    navigation: 'Main menu',
    children: 'Children',
    chat: 'Chat',
    album: 'Album',
    messages: 'Messages',
    family: 'Family',
    disconnected: 'Not connected. What you see may be out of date.',
  },
  'zh-CN': {
    navigation: '主菜单',
    children: '孩子',
    chat: '聊天',
    album: '相册',
    messages: '消息',
    family: '家庭',
    disconnected: '未连接，内容可能不是最新的。',
  },
});

const TABS = [
  { to: '/children', text: 'children', Icon: TbHome },
  { to: '/chat', text: 'chat', Icon: TbMessageCircle },
  { to: '/album', text: 'album', Icon: TbPhoto },
  { to: '/messages', text: 'messages', Icon: UnreadIcon },
  { to: '/family', text: 'family', Icon: TbUsers },
] as const;

const BAR_HEIGHT = 64;
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
  const t = useTexts(texts);
  const isConnected = useLiveUpdates(session);
  usePush(session);
  const isDesktop = useMediaQuery('(min-width: 48em)', undefined, { getInitialValueInEffect: false });
  const { pathname } = useLocation();
  return (
    <AppShell
      padding="md"
      navbar={{ width: RAIL_WIDTH, breakpoint: 'sm', collapsed: { mobile: true } }}
      footer={{ height: BAR_HEIGHT, collapsed: isDesktop }}
    >
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
            {t('disconnected')}
          </Alert>
        )}
        <SosWatcher isConnected={isConnected} />
        <StepUpProvider>
          <Outlet />
        </StepUpProvider>
        <CallOverlay />
      </AppShell.Main>
    </AppShell>
  );
}
