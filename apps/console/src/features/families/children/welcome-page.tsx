import { Button, Progress, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { QueryView } from '../../../ui/query-view.js';
import { childrenQuery, watchesQuery } from '../queries.js';
import { AddChildForm } from './add-child-page.js';
import { BindWatchForm } from './bind-watch-page.js';
import { ChildCard } from './child-card.js';

/** Sign-in, add a child, bind a watch, see the child. */
const STEPS = 4;

/** The first visit: shows the next step that is left, with one thing to do. The sign-in before is its first step. */
export function WelcomePage() {
  const { t } = useTranslation('children');
  const session = useSession();
  const children = useQuery(childrenQuery(session));
  const { data: watches } = useQuery(watchesQuery(session));
  return (
    <QueryView query={children}>
      {({ childList: [child] }) => {
        // The forms renew the list, so that the next step follows by itself.
        if (!child) {
          return (
            <Step step={2} title={t('welcome')} hint={t('welcomeHint')}>
              <AddChildForm onAdded={() => undefined} />
              <Button renderRoot={(props) => <Link {...props} to="/family/join" />} variant="subtle">
                {t('haveInvitation')}
              </Button>
            </Step>
          );
        }
        const { cid, name, device } = child;
        if (device === null) {
          return (
            <Step step={3} title={t('bindTitle', { name })}>
              <BindWatchForm cid={cid} onBound={() => undefined} />
              <Button renderRoot={(props) => <Link {...props} to="/children" />} variant="subtle">
                {t('later')}
              </Button>
            </Step>
          );
        }
        return (
          <Step step={4} title={t('seeTitle', { name })} hint={t('seeHint', { name })}>
            <ChildCard child={child} watch={watches?.items.find(({ did }) => did === device.did)} />
            <Button renderRoot={(props) => <Link {...props} to="/" />}>{t('toChildren')}</Button>
          </Step>
        );
      }}
    </QueryView>
  );
}

function Step({ step, title, hint, children }: { step: number; title: string; hint?: string; children: ReactNode }) {
  const { t } = useTranslation('children');
  return (
    <Stack maw={480}>
      <Text size="sm" c="dimmed">
        {t('step', { step, steps: STEPS })}
      </Text>
      <Progress value={(step / STEPS) * 100} aria-hidden />
      <Title order={1}>{title}</Title>
      {hint !== undefined && <Text>{hint}</Text>}
      {children}
    </Stack>
  );
}
