import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { DateTime } from '../../ui/date-time.js';
import { QueryView } from '../../ui/query-view.js';
import { Section } from '../../ui/section.js';
import { useOperator } from '../session/use-operator.js';
import { Facts } from '../shared/facts.js';
import { FamilyLink } from '../shared/links.js';
import { Page } from '../shared/page.js';
import { useChange } from '../shared/use-change.js';
import { AccountState } from './states.js';
import { Deliveries } from './deliveries.js';
import { accountQuery, type Account } from './queries.js';
import { useRoleName } from './use-role-name.js';

const route = getRouteApi('/operator/people/$userId');

/** The state of one account: families, sessions, suspension and deliveries. */
export function PersonPage() {
  const { t } = useTranslation('operatorDirectory');
  const session = useOperator();
  const { userId } = route.useParams();
  const account = useQuery(accountQuery(session, userId));
  return (
    <Page title={t('person')} back={{ to: '/operator/people' }}>
      <QueryView query={account}>
        {(found) =>
          found ? (
            <Stack gap="lg">
              <AccountSection account={found} />
              <Deliveries subject={{ userId }} />
            </Stack>
          ) : (
            <Text>{t('noAccount', { userId })}</Text>
          )
        }
      </QueryView>
    </Page>
  );
}

function AccountSection({ account }: { account: Account }) {
  const { t } = useTranslation('operatorDirectory');
  const { t: tList } = useTranslation('operatorLists');
  const roleName = useRoleName();
  const { userId, suspendedAt, createdAt, hasPassword, sessions, families } = account;
  return (
    <Section title={t('account')} action={<AccountState suspendedAt={suspendedAt} />}>
      <Facts
        facts={[
          [t('userId'), userId],
          [t('createdAt'), <DateTime time={createdAt} />],
          [t('sessions'), sessions],
          [t('hasPassword'), tList(hasPassword ? 'yes' : 'no')],
          ...(suspendedAt === null ? [] : [[t('suspendedAt'), <DateTime time={suspendedAt} />] as const]),
        ]}
      />
      <Text fw={500}>{t('families')}</Text>
      {families.length === 0 && <Text c="dimmed">{tList('none')}</Text>}
      {families.map(({ familyId, role }) => (
        <Group key={familyId} gap="xs">
          <FamilyLink familyId={familyId} />
          <Text c="dimmed">{roleName(role)}</Text>
        </Group>
      ))}
      <Suspension account={account} />
    </Section>
  );
}

function Suspension({ account: { userId, suspendedAt } }: { account: Account }) {
  const { t } = useTranslation('operatorDirectory');
  const { client } = useOperator();
  const suspend = useChange(() => client.suspendAccount({ userId }));
  const resume = useChange(() => client.resumeAccount({ userId }));
  return (
    <Group>
      {suspendedAt === null ? (
        <ConfirmButton
          label={t('suspend')}
          title={t('suspendTitle', { userId })}
          question={t('suspendQuestion')}
          variant="light"
          action={suspend}
        />
      ) : (
        <ConfirmButton
          label={t('resume')}
          title={t('resumeTitle', { userId })}
          color="teal"
          variant="light"
          action={resume}
        />
      )}
    </Group>
  );
}
