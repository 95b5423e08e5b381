import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../../core/errors/error-texts.js';
import { useSession } from '../../../core/session/use-session.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { PageTitle } from '../../../ui/page-title.js';
import { childrenQuery } from '../queries.js';
import { ScanButton } from './scan-button.js';

const route = getRouteApi('/signed-in/children/$cid/bind');
const INITIAL_VALUES = { bindCode: '', confirmCode: '' };

/** Binds a watch to a child with the two codes that the watch shows. */
export function BindWatchPage() {
  const { t } = useTranslation('children');
  const { cid } = route.useParams();
  const navigate = useNavigate();
  const { data } = useQuery(childrenQuery(useSession()));
  const name = data?.childList.find((child) => child.cid === cid)?.name ?? '';
  return (
    <Stack maw={480}>
      <PageTitle title={t('bindTitle', { name })} back={{ to: '/children' }} />
      <BindWatchForm cid={cid} onBound={() => navigate({ to: '/children' })} />
    </Stack>
  );
}

export function BindWatchForm({ cid, onBound }: { cid: string; onBound: () => Promise<void> | void }) {
  const { t } = useTranslation('children');
  const session = useSession();
  const queries = useQueryClient();
  const fieldErrors = useFieldErrors();
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const form = useForm({ initialValues: INITIAL_VALUES });
  const bind = useMutation({
    mutationFn: (values: typeof INITIAL_VALUES) => session.client.watches.bind({ cid, ...values }, { idempotencyKey }),
    onSuccess: async () => {
      await Promise.all([['children'], ['watches']].map((queryKey) => queries.invalidateQueries({ queryKey })));
      notifications.show({ message: t('bound') });
      await onBound();
    },
    onError: (error, values) => form.setErrors(fieldErrors(error, values)),
  });
  return (
    <form onSubmit={form.onSubmit((values) => bind.mutate(values))} noValidate>
      <Stack>
        <Text>{t('bindHint')}</Text>
        <ScanButton onScanned={(text) => form.setFieldValue('bindCode', text)} />
        <TextInput label={t('bindCode')} required autoComplete="off" {...form.getInputProps('bindCode')} />
        <TextInput
          label={t('confirmCode')}
          required
          inputMode="numeric"
          autoComplete="off"
          {...form.getInputProps('confirmCode')}
        />
        <ErrorAlert error={bind.error} />
        <Button type="submit" loading={bind.isPending}>
          {t('bindThis')}
        </Button>
        <Button renderRoot={(props) => <Link {...props} to="/watch" target="_blank" />} variant="subtle">
          {t('openWatch')}
        </Button>
      </Stack>
    </form>
  );
}
