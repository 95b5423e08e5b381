import type { Schema } from '@family-watch/client';
import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { QueryView } from '../../../ui/query-view.js';
import { deviceSettingsQuery } from './queries.js';
import { SettingsPage } from './settings-page.js';
import { SettingsState } from './settings-state.js';
import { SettingsError, useSettingsChange } from './use-settings-change.js';
import { useWatch } from './use-watch.js';

export function LostModePage() {
  const { t } = useTranslation('watchSettings');
  const session = useSession();
  const { did } = useWatch();
  const query = useQuery(deviceSettingsQuery(session, did));
  return (
    <SettingsPage title={t('lostMode')}>
      <QueryView query={query}>
        {(settings) => (
          <>
            <SettingsState status={settings} checkedAt={query.dataUpdatedAt} />
            <Text role="status">{t(settings.lost ? 'lostOn' : 'lostOff')}</Text>
            <LostModeForm settings={settings} />
          </>
        )}
      </QueryView>
    </SettingsPage>
  );
}

function LostModeForm({ settings: { version, lost, lostMessage } }: { settings: Schema<'DeviceSettingsDto'> }) {
  const { t } = useTranslation('watchSettings');
  const { client } = useSession();
  const { did } = useWatch();
  const form = useForm({ initialValues: { lostMessage: lostMessage ?? '' } });
  const { change } = useSettingsChange({
    queryKey: ['watch-settings', did],
    version,
    save: (isLost: boolean, seenVersion) => {
      const text = form.values.lostMessage.trim();
      const message = isLost && text !== '' ? { lostMessage: text } : {};
      return client.watches.updateLostMode({ did, version: seenVersion, lost: isLost, ...message });
    },
    form,
  });
  return (
    <form onSubmit={form.onSubmit(() => change.mutate(true))}>
      <Stack>
        <Textarea label={t('lostMessage')} autosize minRows={2} {...form.getInputProps('lostMessage')} />
        <SettingsError error={change.error} current={[t(lost ? 'lostOn' : 'lostOff'), lostMessage ?? ''].join(' ')} />
        <Group>
          <Button type="submit" loading={change.isPending}>
            {t(lost ? 'save' : 'turnLostOn')}
          </Button>
          {lost && (
            <Button variant="light" disabled={change.isPending} onClick={() => change.mutate(false)}>
              {t('turnLostOff')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
