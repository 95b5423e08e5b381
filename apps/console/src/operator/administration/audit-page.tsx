import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DateTime } from '../../ui/date-time.js';
import { Section } from '../../ui/section.js';
import { useOperator } from '../session/use-operator.js';
import { IdSearch } from '../shared/id-search.js';
import { Page } from '../shared/page.js';
import { PagedList } from '../shared/paged-list.js';
import { StateBadge } from '../shared/state-badge.js';
import { auditQuery } from './queries.js';

/** What operators and the command line have done, newest first. */
export function AuditPage() {
  const { t } = useTranslation('operatorAdministration');
  const [actor, setActor] = useState('');
  const entries = useInfiniteQuery(auditQuery(useOperator(), actor));
  return (
    <Page title={t('audit')}>
      <Section title={t('requests')}>
        <IdSearch label={t('actor')} description={t('actorHint')} onSearch={setActor} canBeEmpty />
        <PagedList
          label={t('requests')}
          query={entries}
          keyOf={({ entryId }) => entryId}
          columns={[
            { name: t('time'), value: ({ time }) => <DateTime time={time} /> },
            { name: t('operation'), value: ({ operation }) => operation },
            {
              name: t('admitted'),
              value: ({ admitted }) => (
                <StateBadge text={t(admitted ? 'wasAdmitted' : 'wasRejected')} isBad={!admitted} />
              ),
            },
            { name: t('fields'), value: ({ fields }) => <FieldList fields={fields} /> },
            { name: t('actor'), value: (entry) => entry.actor },
            { name: t('ip'), value: ({ ip }) => ip ?? '–' },
          ]}
        />
      </Section>
    </Page>
  );
}

function FieldList({ fields }: { fields: Readonly<Record<string, string>> }) {
  const entries = Object.entries(fields);
  if (entries.length === 0) return '–';
  return entries.map(([name, value]) => (
    <Text key={name} size="sm" style={{ overflowWrap: 'anywhere' }}>
      {name}: {value}
    </Text>
  ));
}
