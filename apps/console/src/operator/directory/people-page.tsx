import { Button, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../core/errors/error-texts.js';
import { DateTime } from '../../ui/date-time.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { PhoneField } from '../../ui/phone-field.js';
import { Section } from '../../ui/section.js';
import { useOperator } from '../session/use-operator.js';
import { PersonLink } from '../shared/links.js';
import { Page } from '../shared/page.js';
import { PagedList } from '../shared/paged-list.js';
import { StateFilter } from '../shared/state-filter.js';
import { AccountState } from './states.js';
import { ACCOUNT_STATES, accountQuery, accountsQuery, type AccountStateName } from './queries.js';

/** Search of persons by their phone number, and the list of accounts. */
export function PeoplePage() {
  const { t } = useTranslation('operatorDirectory');
  return (
    <Page title={t('people')}>
      <Section title={t('findPerson')}>
        <PhoneSearch />
      </Section>
      <Section title={t('accounts')}>
        <AccountList />
      </Section>
    </Page>
  );
}

const INITIAL_VALUES = { areaCode: '+86', phoneNumber: '' };

function PhoneSearch() {
  const { t } = useTranslation('operatorDirectory');
  const { t: tList } = useTranslation('operatorLists');
  const session = useOperator();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const fieldErrors = useFieldErrors();
  const form = useForm({ initialValues: INITIAL_VALUES });
  const find = useMutation({
    mutationFn: (phone: typeof INITIAL_VALUES) => session.client.findAccountState(phone),
    onSuccess: async (account) => {
      queries.setQueryData(accountQuery(session, account.userId).queryKey, account);
      await navigate({ to: '/operator/people/$userId', params: { userId: account.userId } });
    },
    onError: (error, values) => form.setErrors(fieldErrors(error, values)),
  });
  return (
    <form onSubmit={form.onSubmit((values) => find.mutate(values))} noValidate>
      <PhoneField label={t('phoneNumber')} getInputProps={form.getInputProps} />
      <Text my="sm" c="dimmed">
        {t('phoneHint')}
      </Text>
      <ErrorAlert error={find.error} />
      <Button mt="sm" type="submit" loading={find.isPending}>
        {tList('search')}
      </Button>
    </form>
  );
}

function AccountList() {
  const { t } = useTranslation('operatorDirectory');
  const session = useOperator();
  const [state, setState] = useState<'' | AccountStateName>('');
  const accounts = useInfiniteQuery(accountsQuery(session, state));
  return (
    <>
      <StateFilter
        label={t('state')}
        states={ACCOUNT_STATES}
        textOf={(each) => t(`state${each}`)}
        value={state}
        onChange={setState}
      />
      <PagedList
        label={t('accounts')}
        query={accounts}
        keyOf={({ userId }) => userId}
        columns={[
          { name: t('userId'), value: ({ userId }) => <PersonLink userId={userId} /> },
          { name: t('state'), value: ({ suspendedAt }) => <AccountState suspendedAt={suspendedAt} /> },
          { name: t('familyCount'), value: ({ families }) => families.length },
          { name: t('sessions'), value: ({ sessions }) => sessions },
          { name: t('createdAt'), value: ({ createdAt }) => <DateTime time={createdAt} /> },
        ]}
      />
    </>
  );
}
