import { Button, Group, NumberInput, Stack, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useFieldErrors } from '../../app/errors/error-texts.js';
import { useSession } from '../../app/session/use-session.js';
import { useTexts } from '../../app/texts.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { texts } from './texts.js';

/** The specification bounds height and weight at 100 to 200 and names no unit. */
export const SIZE_RANGE = { min: 100, max: 200 };

const INITIAL_VALUES = { name: '', appellation: '', areaCode: '+86', phoneNumber: '', height: 125, weight: 120 };

/** Adds a child; the first child creates the family. */
export function AddChildPage() {
  const t = useTexts(texts);
  const { client } = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const fieldErrors = useFieldErrors();
  // One key for all attempts of this form: a repeated request after a lost response does not add the child twice.
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const form = useForm({ initialValues: INITIAL_VALUES });
  const create = useMutation({
    mutationFn: (values: typeof INITIAL_VALUES) => client.children.create(values, { idempotencyKey }),
    onSuccess: async ({ cid }) => {
      await queries.invalidateQueries({ queryKey: ['children'] });
      await navigate({ to: '/children/$cid/bind', params: { cid } });
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <Stack maw={480}>
        <Title order={1}>{t('add')}</Title>
        <TextInput label={t('name')} required {...form.getInputProps('name')} />
        <TextInput label={t('appellation')} required {...form.getInputProps('appellation')} />
        <Group align="start" wrap="nowrap">
          <TextInput w={130} flex="none" label={t('areaCode')} required {...form.getInputProps('areaCode')} />
          <TextInput flex={1} label={t('phoneNumber')} required type="tel" {...form.getInputProps('phoneNumber')} />
        </Group>
        <Group grow>
          <NumberInput
            label={t('height')}
            required
            allowDecimal={false}
            {...SIZE_RANGE}
            {...form.getInputProps('height')}
          />
          <NumberInput
            label={t('weight')}
            required
            allowDecimal={false}
            {...SIZE_RANGE}
            {...form.getInputProps('weight')}
          />
        </Group>
        <ErrorAlert error={create.error} />
        <Group>
          <Button type="submit" loading={create.isPending}>
            {t('save')}
          </Button>
          <Button component={Link} to="/children" variant="subtle">
            {t('cancel')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
