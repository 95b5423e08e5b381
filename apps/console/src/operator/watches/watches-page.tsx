import { Button, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { QueryView } from '../../ui/query-view.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { Section } from '../../ui/section.js';
import { hasRole, useOperator } from '../session/use-operator.js';
import { IdSearch } from '../shared/id-search.js';
import { WatchLink } from '../shared/links.js';
import { Page } from '../shared/page.js';
import { ItemList, PagedList, type Column } from '../shared/paged-list.js';
import { groupsQuery, watchesQuery, watchQuery, type WatchFilter, type WatchState } from './queries.js';
import { WatchStateBadge } from './watch-state-badge.js';

/** Digits of an IMEI; other numbers are those of watches. */
const IMEI_PATTERN = /^\d{15}$/;

/** Search of a watch by its number or IMEI, and the list of watches. */
export function WatchesPage() {
  const { t } = useTranslation('operatorWatches');
  const navigate = useNavigate();
  const [imei, setImei] = useState<string>();
  const search = (text: string) => {
    if (IMEI_PATTERN.test(text)) setImei(text);
    else void navigate({ to: '/operator/watches/$did', params: { did: text } });
  };
  return (
    <Page title={t('watches')}>
      <Section title={t('findWatch')}>
        <IdSearch label={t('didOrImei')} description={t('didOrImeiHint')} onSearch={search} />
        {imei !== undefined && <WatchesOfImei imei={imei} />}
      </Section>
      <Section title={t('watches')}>
        <WatchList />
      </Section>
    </Page>
  );
}

function useWatchColumns(): Column<WatchState>[] {
  const { t } = useTranslation('operatorWatches');
  return [
    { name: t('did'), value: ({ did }) => <WatchLink did={did} /> },
    { name: t('imei'), value: ({ imei }) => imei },
    { name: t('state'), value: (watch) => <WatchStateBadge watch={watch} /> },
    { name: t('model'), value: ({ model }) => model },
    { name: t('firmwareVersion'), value: ({ firmwareVersion }) => firmwareVersion },
    { name: t('lastContact'), value: ({ lastContactAt }) => <RelativeTime time={lastContactAt} /> },
  ];
}

/** An IMEI is only a claim, so that several watches can have one. */
function WatchesOfImei({ imei }: { imei: string }) {
  const { t } = useTranslation('operatorWatches');
  const columns = useWatchColumns();
  const query = useQuery(watchQuery(useOperator(), { imei }));
  return (
    <QueryView query={query}>
      {({ items }) => (
        <ItemList label={t('watchesOfImei', { imei })} items={items} columns={columns} keyOf={({ did }) => did} />
      )}
    </QueryView>
  );
}

const NO_FILTER: WatchFilter = { state: '', model: '', imeiPrefix: '', groupId: '', silentDays: '' };

function WatchList() {
  const { t } = useTranslation('operatorWatches');
  const columns = useWatchColumns();
  const [filter, setFilter] = useState(NO_FILTER);
  const watches = useInfiniteQuery(watchesQuery(useOperator(), filter));
  return (
    <>
      <FilterForm onFilter={setFilter} />
      <PagedList label={t('watches')} query={watches} columns={columns} keyOf={({ did }) => did} />
    </>
  );
}

function FilterForm({ onFilter }: { onFilter: (filter: WatchFilter) => void }) {
  const { t } = useTranslation('operatorWatches');
  const { t: tList } = useTranslation('operatorLists');
  const session = useOperator();
  const isFleet = hasRole(session, 'FLEET');
  const groups = useQuery({ ...groupsQuery(session), enabled: isFleet });
  const form = useForm({
    initialValues: NO_FILTER,
    validate: {
      imeiPrefix: (text) => (/^\d{0,15}$/.test(text) ? null : t('digitsOnly')),
      silentDays: (text) => (/^\d{0,4}$/.test(text) ? null : t('digitsOnly')),
    },
  });
  return (
    <form onSubmit={form.onSubmit(onFilter)} noValidate>
      <SimpleGrid cols={{ base: 1, sm: 2, md: 3 }} spacing="sm">
        <NativeSelect
          label={t('state')}
          data={[
            { value: '', label: tList('all') },
            { value: 'BOUND', label: t('stateBOUND') },
            { value: 'UNBOUND', label: t('stateUNBOUND') },
            { value: 'REVOKED', label: t('stateREVOKED') },
          ]}
          {...form.getInputProps('state')}
        />
        <TextInput label={t('model')} {...form.getInputProps('model')} />
        <TextInput label={t('imeiPrefix')} inputMode="numeric" {...form.getInputProps('imeiPrefix')} />
        {isFleet && (
          <NativeSelect
            label={t('group')}
            data={[
              { value: '', label: tList('all') },
              ...(groups.data?.items ?? []).map(({ groupId, name }) => ({ value: groupId, label: name })),
            ]}
            {...form.getInputProps('groupId')}
          />
        )}
        <TextInput label={t('silentDays')} inputMode="numeric" {...form.getInputProps('silentDays')} />
      </SimpleGrid>
      <Button mt="sm" type="submit" variant="light">
        {t('filter')}
      </Button>
    </form>
  );
}
