import { Button, Checkbox, Group, NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../core/errors/error-texts.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { useOperator } from '../session/use-operator.js';
import { useChange } from '../shared/use-change.js';
import { groupsQuery } from '../watches/queries.js';
import { imagesQuery } from './queries.js';
import { parseWaves } from './waves.js';

const INITIAL_VALUES = {
  imageId: '',
  groupId: '',
  waves: '1, 10, 50, 100',
  successThreshold: '90',
  errorThreshold: '5',
  errorAction: 'PAUSE' as 'PAUSE' | 'STOP',
  minBattery: '40',
  requiresCharging: false,
  avoidsSchoolTime: true,
};
type Values = typeof INITIAL_VALUES;

/** Prepares a rollout, which an operator then starts. */
export function CreateRollout() {
  const { t } = useTranslation('operatorFirmware');
  const session = useOperator();
  const images = useInfiniteQuery(imagesQuery(session));
  const groups = useQuery(groupsQuery(session));
  const fieldErrors = useFieldErrors();
  const percent = (text: string) => (/^\d{1,3}$/.test(text) && Number(text) <= 100 ? null : t('percentRule'));
  const form = useForm<Values>({
    initialValues: INITIAL_VALUES,
    validate: {
      imageId: (id) => (id === '' ? t('missing') : null),
      waves: (text) => (parseWaves(text) ? null : t('wavesRule')),
      successThreshold: percent,
      errorThreshold: percent,
      minBattery: percent,
    },
  });
  const create = useChange(
    ({ groupId, waves, successThreshold, errorThreshold, minBattery, ...values }: Values) =>
      session.client.createRollout({
        ...values,
        ...(groupId === '' ? {} : { groupId }),
        waves: parseWaves(waves),
        successThreshold: Number(successThreshold),
        errorThreshold: Number(errorThreshold),
        minBattery: Number(minBattery),
      }),
    () => form.reset(),
  );
  const ready = images.data?.pages.flatMap(({ items }) => items).filter(({ state }) => state === 'READY') ?? [];
  const submit = (values: Values) =>
    create.mutate(values, { onError: (error) => form.setErrors(fieldErrors(error, values)) });
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <NativeSelect
            label={t('image')}
            required
            data={[
              { value: '', label: t('chooseImage') },
              ...ready.map(({ imageId, model, version }) => ({ value: imageId, label: `${model} ${version}` })),
            ]}
            {...form.getInputProps('imageId')}
          />
          <NativeSelect
            label={t('toGroup')}
            data={[
              { value: '', label: t('allWatches') },
              ...(groups.data?.items ?? []).map(({ groupId, name }) => ({ value: groupId, label: name })),
            ]}
            {...form.getInputProps('groupId')}
          />
          <TextInput label={t('waves')} description={t('wavesHint')} required {...form.getInputProps('waves')} />
          <TextInput
            label={t('successThreshold')}
            inputMode="numeric"
            required
            {...form.getInputProps('successThreshold')}
          />
          <TextInput
            label={t('errorThreshold')}
            inputMode="numeric"
            required
            {...form.getInputProps('errorThreshold')}
          />
          <NativeSelect
            label={t('errorAction')}
            data={[
              { value: 'PAUSE', label: t('errorPAUSE') },
              { value: 'STOP', label: t('errorSTOP') },
            ]}
            {...form.getInputProps('errorAction')}
          />
          <TextInput label={t('minBattery')} inputMode="numeric" required {...form.getInputProps('minBattery')} />
        </SimpleGrid>
        <Checkbox label={t('requiresCharging')} {...form.getInputProps('requiresCharging', { type: 'checkbox' })} />
        <Checkbox label={t('avoidsSchoolTime')} {...form.getInputProps('avoidsSchoolTime', { type: 'checkbox' })} />
        <ErrorAlert error={create.error} />
        <Group>
          <Button type="submit" loading={create.isPending}>
            {t('prepare')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
