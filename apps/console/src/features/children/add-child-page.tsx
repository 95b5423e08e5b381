import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useFieldErrors } from '../../app/errors/error-texts.js';
import { useSession } from '../../app/session/use-session.js';
import { useTexts } from '../../app/texts.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { PageTitle } from '../../ui/page-title.js';
import { PhoneField } from '../../ui/phone-field.js';
import { SizeInput } from './size-input.js';
import { texts } from './texts.js';

const INITIAL_VALUES = { name: '', appellation: '', areaCode: '+86', phoneNumber: '', height: 125, weight: 120 };

/** Adds a child; the first child creates the family. */
export function AddChildPage() {
  const t = useTexts(texts);
  const navigate = useNavigate();
  return (
    <Stack maw={480}>
      <PageTitle title={t('add')} back={{ to: '/children' }} />
      <AddChildForm onAdded={(cid) => navigate({ to: '/children/$cid/bind', params: { cid } })} />
    </Stack>
  );
}

export function AddChildForm({ onAdded }: { onAdded: (cid: string) => Promise<void> | void }) {
  const t = useTexts(texts);
  const { client } = useSession();
  const queries = useQueryClient();
  const fieldErrors = useFieldErrors();
  // One key for all attempts of this form: a repeated request after a lost response does not add the child twice.
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const form = useForm({ initialValues: INITIAL_VALUES });
  const create = useMutation({
    mutationFn: (values: typeof INITIAL_VALUES) =>
      client.children.create({ ...values, appellation: values.appellation || values.name }, { idempotencyKey }),
    onSuccess: async ({ cid }) => {
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
        <Group grow>
          {(['height', 'weight'] as const).map((field) => (
            <SizeInput key={field} label={t(field)} {...form.getInputProps(field)} />
          ))}
        </Group>
        <ErrorAlert error={create.error} />
        <Button type="submit" loading={create.isPending}>
          {t('addThis')}
        </Button>
      </Stack>
    </form>
  );
}
