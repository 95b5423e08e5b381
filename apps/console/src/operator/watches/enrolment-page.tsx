import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { DateTime } from '../../ui/date-time.js';
import { Section } from '../../ui/section.js';
import { useOperator } from '../session/use-operator.js';
import { IdSearch } from '../shared/id-search.js';
import { Page } from '../shared/page.js';
import { PagedList } from '../shared/paged-list.js';
import { useChange } from '../shared/use-change.js';
import { EnrolmentImport } from './enrolment-import.js';
import { enrolmentListQuery } from './queries.js';

/** The list of watches that may enrol: import of a file, search and removal. */
export function EnrolmentPage() {
  const { t } = useTranslation('operatorWatches');
  const { t: tList } = useTranslation('operatorLists');
  const [imei, setImei] = useState('');
  const entries = useInfiniteQuery(enrolmentListQuery(useOperator(), imei));
  return (
    <Page title={t('enrolmentList')}>
      <Section title={t('import')}>
        <EnrolmentImport />
      </Section>
      <Section title={t('listedWatches')}>
        <IdSearch label={t('imei')} description={t('listedImeiHint')} onSearch={setImei} canBeEmpty />
        <PagedList
          label={t('listedWatches')}
          query={entries}
          keyOf={(entry) => entry.imei}
          columns={[
            { name: t('imei'), value: (entry) => entry.imei },
            { name: t('makerKey'), value: ({ makerKey }) => makerKey },
            { name: t('listedAt'), value: ({ listedAt }) => <DateTime time={listedAt} /> },
            { name: tList('actions'), value: (entry) => <RemoveButton imei={entry.imei} /> },
          ]}
        />
      </Section>
    </Page>
  );
}

function RemoveButton({ imei }: { imei: string }) {
  const { t } = useTranslation('operatorWatches');
  const { client } = useOperator();
  const remove = useChange(() => client.removeFromEnrolmentList({ imeis: [imei] }));
  return (
    <ConfirmButton
      label={t('remove')}
      aria-label={`${t('remove')}: ${imei}`}
      title={t('removeTitle', { imei })}
      question={t('removeQuestion')}
      action={remove}
    />
  );
}
