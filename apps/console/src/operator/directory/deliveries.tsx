import { Alert, Card, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { QueryView } from '../../ui/query-view.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { Section } from '../../ui/section.js';
import { useOperator } from '../session/use-operator.js';
import { Facts } from '../shared/facts.js';
import { PersonLink, WatchLink } from '../shared/links.js';
import { RenewButton } from '../shared/renew-button.js';
import { StateBadge } from '../shared/state-badge.js';
import { deliveriesQuery, type Delivery, type DeliverySubject } from './queries.js';
import { useRoleName } from './use-role-name.js';

/** Why messages do not arrive: connections, mailboxes and notifications, without what a message says. */
export function Deliveries({ subject }: { subject: DeliverySubject }) {
  const { t } = useTranslation('operatorDirectory');
  const query = useQuery(deliveriesQuery(useOperator(), subject));
  return (
    <Section title={t('deliveries')} action={<RenewButton query={query} />}>
      <QueryView query={query}>
        {({ items, blocked, unknownProjections }) => (
          <Stack>
            {blocked.length === 0 && !unknownProjections?.length && <Text>{t('notBlocked')}</Text>}
            {blocked.map(({ handler, retries, deadLetters }) => (
              <Alert key={handler} color="red" variant="light" title={handler}>
                {t('blockedBy', { retries, deadLetters })}
              </Alert>
            ))}
            {!!unknownProjections?.length && (
              <Alert color="orange" variant="light">
                {t('unknownProjections', { names: unknownProjections.join(', ') })}
              </Alert>
            )}
            {items.map((delivery) => (
              <PrincipalDelivery key={delivery.principal} delivery={delivery} />
            ))}
          </Stack>
        )}
      </QueryView>
    </Section>
  );
}

function PrincipalDelivery({ delivery }: { delivery: Delivery }) {
  const { t } = useTranslation('operatorDirectory');
  const { t: tList } = useTranslation('operatorLists');
  const roleName = useRoleName();
  const { principal, role, connections, mailboxHead, sessions, pushRegistrations, pushQueue, pushDisabled } = delivery;
  const [type, id = ''] = principal.split(':');
  return (
    <Card withBorder padding="sm">
      <Stack gap="sm">
        <Group justify="space-between">
          <Group gap="xs">
            <Text fw={500}>{role === null ? t(type === 'watch' ? 'watch' : 'person') : roleName(role)}</Text>
            {type === 'watch' ? <WatchLink did={Number(id)} /> : <PersonLink userId={id} />}
          </Group>
          <StateBadge text={t(connections.length > 0 ? 'connected' : 'notConnected')} />
        </Group>
        <Facts
          facts={[
            [t('connections'), connections.length],
            [t('mailboxHead'), mailboxHead],
            [t('pushRegistrations'), pushRegistrations.map(({ service }) => service).join(', ') || tList('none')],
            [
              t('pushQueue'),
              pushQueue.waiting === 0
                ? tList('none')
                : t('pushWaiting', { waiting: pushQueue.waiting, attempts: pushQueue.attempts }),
            ],
            ...(pushDisabled.length === 0 ? [] : [[t('pushDisabled'), pushDisabled.join(', ')] as const]),
          ]}
        />
        {sessions.map(({ sessionId, acknowledged, lastSeenAt, oldestUnacknowledgedAt }) => (
          <Text key={sessionId} size="sm">
            {t('session')} {sessionId}: {t('acknowledged', { acknowledged, mailboxHead })} · {t('lastSeen')}{' '}
            <RelativeTime time={lastSeenAt} />
            {oldestUnacknowledgedAt !== null && (
              <>
                {' '}
                · {t('oldestUnacknowledged')} <RelativeTime time={oldestUnacknowledgedAt} />
              </>
            )}
          </Text>
        ))}
      </Stack>
    </Card>
  );
}
