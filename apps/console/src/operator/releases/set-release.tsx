import { Alert, Button, Group, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Schema } from '@family-watch/client';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../core/errors/error-texts.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { useOperator } from '../session/use-operator.js';
import { useChange } from '../shared/use-change.js';

export type Platform = Schema<'AppReleaseDto'>['platform'];

export const PLATFORMS: readonly Platform[] = ['ANDROID', 'IOS', 'HARMONYOS', 'WEB'];

const INITIAL_VALUES = {
  version: '',
  minimumVersion: '',
  percentage: '10',
  notesEn: '',
  notesZh: '',
  url: '',
  sha256: '',
  bytes: '',
};
type Values = typeof INITIAL_VALUES;

/** Creates a release, or replaces the one with the version, for example with a higher percentage. */
export function SetRelease({ platform, channel }: { platform: Platform; channel: string }) {
  const { t } = useTranslation('operatorReleases');
  const { client } = useOperator();
  const fieldErrors = useFieldErrors();
  const form = useForm<Values>({
    initialValues: INITIAL_VALUES,
    validate: {
      version: (text) => (text === '' ? t('missing') : null),
      percentage: (text) => (/^\d{1,3}$/.test(text) && Number(text) <= 100 ? null : t('percentRule')),
      notesEn: (text, { notesZh }) => (text === '' && notesZh === '' ? t('missing') : null),
      url: (text) => (/^https:\/\/./.test(text) ? null : t('urlRule')),
      sha256: (text, { bytes }) =>
        /^[0-9a-f]{64}$/.test(text) || (text === '' && bytes === '') ? null : t('sha256Rule'),
      bytes: (text, { sha256 }) => (/^[1-9]\d*$/.test(text) || (text === '' && sha256 === '') ? null : t('bytesRule')),
    },
  });
  const set = useChange((values: Values) => client.setAppRelease({ platform, channel, ...toRelease(values) }));
  const submit = (values: Values) =>
    set.mutate(values, { onError: (error) => form.setErrors(fieldErrors(error, values)) });
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput label={t('version')} description={t('versionHint')} required {...form.getInputProps('version')} />
          <TextInput label={t('percentage')} inputMode="numeric" required {...form.getInputProps('percentage')} />
          <TextInput
            label={t('minimumVersion')}
            description={t('minimumHint')}
            {...form.getInputProps('minimumVersion')}
          />
          <TextInput label={t('url')} description={t('urlHint')} required {...form.getInputProps('url')} />
          <Textarea label={t('notesEn')} autosize minRows={2} {...form.getInputProps('notesEn')} />
          <Textarea label={t('notesZh')} autosize minRows={2} {...form.getInputProps('notesZh')} />
          <TextInput label={t('sha256')} description={t('packageHint')} {...form.getInputProps('sha256')} />
          <TextInput
            label={t('bytes')}
            description={t('packageHint')}
            inputMode="numeric"
            {...form.getInputProps('bytes')}
          />
        </SimpleGrid>
        <ErrorAlert error={set.error} />
        {set.isSuccess && (
          <Alert color="teal" variant="light" role="status">
            {t('saved')}
          </Alert>
        )}
        <Group>
          <Button type="submit" loading={set.isPending}>
            {t('offer')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function toRelease({ version, minimumVersion, percentage, notesEn, notesZh, url, sha256, bytes }: Values) {
  return {
    version,
    percentage: Number(percentage),
    url,
    notes: { ...(notesEn !== '' && { en: notesEn }), ...(notesZh !== '' && { 'zh-CN': notesZh }) },
    ...(minimumVersion !== '' && { minimumVersion }),
    ...(sha256 !== '' && { package: { sha256, bytes: Number(bytes) } }),
  };
}
