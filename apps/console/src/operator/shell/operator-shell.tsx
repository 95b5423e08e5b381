import { AppShell, Burger, Group, NavLink, ScrollArea, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { QueryClientProvider } from '@tanstack/react-query';
import { Link, Navigate, Outlet, useLocation } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ReasonTextContext } from '../../core/errors/error-texts.js';
import en from '../../core/languages/en.json';
import { createQueryClient } from '../../core/query-client.js';
import { UnsavedChangesDialog } from '../../ui/unsaved-changes.js';
import { hasRole, OperatorContext, useOperator, useOperatorState } from '../session/use-operator.js';
import { OperatorSignInPage } from '../session/sign-in-page.js';
import { SECTIONS } from './sections.js';

/** Returns whether operators get another text than parents, or one that parents do not need. */
function isExplained(reason: string): reason is keyof typeof en.operatorReasons {
  return reason in en.operatorReasons;
}

const RAIL_WIDTH = 240;
const HEADER_HEIGHT = 56;

/** The frame of all pages of operators, and the sign-in while there is no session. */
export function OperatorShell() {
  const { t } = useTranslation('operatorReasons');
  const textOf = useCallback((reason: string) => (isExplained(reason) ? t(reason) : undefined), [t]);
  return (
    <ReasonTextContext value={textOf}>
      <Session />
    </ReasonTextContext>
  );
}

function Session() {
  const state = useOperatorState();
  const key = state.status === 'signed-in' ? state.session.operatorId + state.session.expiresAt : '';
  return <SessionQueries key={key} />;
}

/** Only the operator's actions lead to requests, because each of them leaves an entry in the audit list. */
function createOperatorQueries() {
  const queries = createQueryClient();
  const { queries: options = {}, ...others } = queries.getDefaultOptions();
  const manual = { refetchOnWindowFocus: false, refetchOnReconnect: false };
  queries.setDefaultOptions({ ...others, queries: { ...options, ...manual } });
  return queries;
}

/** Each session has its own cache, so that no data stay for the next operator or reach the pages of parents. */
function SessionQueries() {
  const state = useOperatorState();
  const [queries] = useState(createOperatorQueries);
  useEffect(() => () => queries.clear(), [queries]);
  return (
    <QueryClientProvider client={queries}>
      {state.status === 'signed-in' ? (
        <OperatorContext value={state.session}>
          <Frame />
        </OperatorContext>
      ) : (
        <OperatorSignInPage hasEnded={state.hasEnded} />
      )}
    </QueryClientProvider>
  );
}

function Frame() {
  const { t } = useTranslation('operatorShell');
  const session = useOperator();
  const { pathname } = useLocation();
  const [isOpen, { toggle, close }] = useDisclosure(false);
  useEffect(close, [pathname, close]);
  return (
    <AppShell
      padding="md"
      header={{ height: HEADER_HEIGHT }}
      navbar={{ width: RAIL_WIDTH, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
    >
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" aria-label={t('menu')} aria-expanded={isOpen} />
            <Text fw={700}>{t('title')}</Text>
          </Group>
          <Text c="dimmed" truncate>
            {session.loginName}
          </Text>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label={t('navigation')}>
        <ScrollArea>
          {SECTIONS.filter(({ roles }) => hasRole(session, ...roles)).map(({ to, text, Icon }) => (
            <NavLink
              key={to}
              renderRoot={(props) => <Link {...props} to={to} />}
              label={t(text)}
              leftSection={<Icon aria-hidden />}
              active={pathname === to || pathname.startsWith(`${to}/`)}
            />
          ))}
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main>
        <Outlet />
        <UnsavedChangesDialog />
      </AppShell.Main>
    </AppShell>
  );
}

/** Opens the first section that the operator may use. */
export function OperatorHome() {
  const session = useOperator();
  const first = SECTIONS.find(({ roles }) => hasRole(session, ...roles));
  return <Navigate to={first?.to ?? '/operator/account'} replace />;
}
