import { Alert, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { formatDuration } from '../../ui/format.js';
import { QueryView } from '../../ui/query-view.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { Section } from '../../ui/section.js';
import { useOperator } from '../session/use-operator.js';
import { Facts } from '../shared/facts.js';
import { Page } from '../shared/page.js';
import { ItemList } from '../shared/paged-list.js';
import { RenewButton } from '../shared/renew-button.js';
import { StateBadge } from '../shared/state-badge.js';
import { DeadLetters } from './dead-letters.js';
import { statusQuery, type AppStatus } from './queries.js';

/** The health of the event bus: what waits in each app, and dead letters. */
export function BusPage() {
  const { t } = useTranslation('operatorEventBus');
  const status = useQuery(statusQuery(useOperator()));
  return (
    <Page title={t('bus')} action={<RenewButton query={status} />}>
      <QueryView query={status}>
        {({ items, unavailable }) => (
          <Stack gap="lg">
            {unavailable.map((app) => (
              <Alert key={app} color="red" variant="light" role="alert">
                {t('unavailable', { app })}
              </Alert>
            ))}
            {items.map((each) => (
              <AppSection key={each.app} status={each} />
            ))}
          </Stack>
        )}
      </QueryView>
      <DeadLetters />
    </Page>
  );
}

function AppSection({ status }: { status: AppStatus }) {
  const { t } = useTranslation('operatorEventBus');
  const { app, unpublished, publicationDelayMs, retries, deadLetters, queues } = status;
  const due = queues.filter((queue) => queue.due > 0);
  const isBad = deadLetters > 0;
  return (
    <Section title={app} action={<StateBadge text={t(isBad ? 'hasDeadLetters' : 'healthy')} isBad={isBad} />}>
      <Facts
        facts={[
          [t('unpublished'), unpublished],
          [t('publicationDelay'), formatDuration(publicationDelayMs)],
          [t('retries'), retries],
          [t('deadLetters'), deadLetters],
        ]}
      />
      {due.length === 0 ? (
        <Text c="dimmed">{t('noneDue', { count: queues.length })}</Text>
      ) : (
        <ItemList
          label={t('queues', { app })}
          items={due}
          keyOf={({ job }) => job}
          columns={[
            { name: t('job'), value: ({ job }) => job },
            { name: t('due'), value: (queue) => queue.due },
            {
              name: t('oldestDue'),
              value: ({ oldestDueAt }) => (oldestDueAt === null ? '–' : <RelativeTime time={oldestDueAt} />),
            },
          ]}
        />
      )}
    </Section>
  );
}
