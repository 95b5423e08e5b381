import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { DateTime } from '../../ui/date-time.js';
import { Section } from '../../ui/section.js';
import { useOperator } from '../session/use-operator.js';
import { Page } from '../shared/page.js';
import { PagedList } from '../shared/paged-list.js';
import { StateBadge } from '../shared/state-badge.js';
import { useChange } from '../shared/use-change.js';
import { CreateOperator } from './create-operator.js';
import { operatorsQuery, type OperatorAccount } from './queries.js';

/** The operators with their roles. */
export function OperatorsPage() {
  const { t } = useTranslation('operatorAdministration');
  const { t: tList } = useTranslation('operatorLists');
  const operators = useInfiniteQuery(operatorsQuery(useOperator()));
  return (
    <Page title={t('operators')}>
      <Section title={t('createOperator')}>
        <CreateOperator />
      </Section>
      <Section title={t('operators')}>
        <PagedList
          label={t('operators')}
          query={operators}
          keyOf={({ operatorId }) => operatorId}
          columns={[
            { name: t('loginName'), value: ({ loginName }) => loginName },
            { name: t('roles'), value: ({ roles }) => roles.join(', ') },
            { name: t('state'), value: ({ suspendedAt }) => <OperatorState suspendedAt={suspendedAt} /> },
            { name: t('createdAt'), value: ({ createdAt }) => <DateTime time={createdAt} /> },
            { name: t('operatorId'), value: ({ operatorId }) => operatorId },
            { name: tList('actions'), value: (operator) => <SuspendButton operator={operator} /> },
          ]}
        />
      </Section>
    </Page>
  );
}

function OperatorState({ suspendedAt }: { suspendedAt: number | null }) {
  const { t } = useTranslation('operatorAdministration');
  return <StateBadge text={t(suspendedAt === null ? 'active' : 'suspended')} isBad={suspendedAt !== null} />;
}

function SuspendButton({ operator: { operatorId, loginName, suspendedAt } }: { operator: OperatorAccount }) {
  const { t } = useTranslation('operatorAdministration');
  const session = useOperator();
  const suspend = useChange(() => session.client.suspend({ operatorId }));
  if (suspendedAt !== null || operatorId === session.operatorId) return '–';
  return (
    <ConfirmButton
      label={t('suspend')}
      aria-label={`${t('suspend')}: ${loginName}`}
      title={t('suspendTitle', { loginName })}
      question={t('suspendQuestion', { operatorId })}
      action={suspend}
    />
  );
}
