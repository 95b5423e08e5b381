import type { Schema } from '@family-watch/client';
import { Button, Fieldset, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../../../core/texts.js';
import { useSession } from '../../../core/session/use-session.js';
import { formatClock } from '../../../ui/format.js';
import { useWeekdaysText, WeekdaysField } from '../../../ui/weekdays.js';
import { SettingsSection } from './settings-section.js';
import { useSettingsChange } from './use-settings-change.js';
import { useWatch } from './use-watch.js';

type Range = Schema<'LocationModeRangeDto'>;

const MODES = ['SAVE', 'NORMAL'] as const;
const NEW_RANGE: Range = { start: '08:30', end: '16:00', weekdays: [1, 2, 3, 4, 5], mode: 'SAVE' };

interface LocationScheduleFormProps {
  settings: Schema<'DeviceSettingsDto'>;
  seen: readonly [version: number, setVersion: (version: number) => void];
}

/** The ranges of the week in which the watch uses another location mode than its permanent one. */
export function LocationScheduleForm({ settings: { version, locationSchedule }, seen }: LocationScheduleFormProps) {
  const { t } = useTranslation('watchSettings');
  const { client } = useSession();
  const { did } = useWatch();
  const [language] = useLanguage();
  const weekdaysText = useWeekdaysText();
  const form = useForm({ initialValues: { locationSchedule } });
  const { change, isStale } = useSettingsChange({
    queryKey: ['watch-settings', did],
    version,
    seen,
    save: (values: typeof form.values, seenVersion) =>
      client.watches.updateSettings({ ...values, did, version: seenVersion }),
    form,
  });
  const stored = locationSchedule.map(
    ({ start, end, weekdays, mode }) =>
      `${formatClock(start, language)}–${formatClock(end, language)} ${weekdaysText(weekdays)}: ${t(mode)}`,
  );
  return (
    <SettingsSection
      title={t('locationSchedule')}
      onSubmit={form.onSubmit((values) => change.mutate(values))}
      change={change}
      isStale={isStale}
      current={stored.join(', ') || '–'}
      buttons={
        <Button variant="light" onClick={() => form.insertListItem('locationSchedule', NEW_RANGE)}>
          {t('addRange')}
        </Button>
      }
      isSaveDisabled={!form.isDirty()}
    >
      <Text size="sm" c="dimmed">
        {t('locationScheduleHint')}
      </Text>
      {form.values.locationSchedule.map((_, index) => {
        const path = `locationSchedule.${index}`;
        return (
          // The ranges have no id, and fields belong to a place in the list.
          <Fieldset key={index} p="xs" legend={t('range', { number: index + 1 })}>
            <Stack gap="sm">
              <Group grow align="start">
                <TextInput type="time" label={t('start')} required {...form.getInputProps(`${path}.start`)} />
                <TextInput type="time" label={t('end')} required {...form.getInputProps(`${path}.end`)} />
              </Group>
              <WeekdaysField {...form.getInputProps(`${path}.weekdays`)} />
              <Select
                label={t('locationMode')}
                allowDeselect={false}
                data={MODES.map((mode) => ({ value: mode, label: t(mode) }))}
                {...form.getInputProps(`${path}.mode`)}
              />
              <Group>
                <Button
                  variant="subtle"
                  color="red"
                  aria-label={t('deleteNamed', { name: t('range', { number: index + 1 }) })}
                  onClick={() => form.removeListItem('locationSchedule', index)}
                >
                  {t('delete')}
                </Button>
              </Group>
            </Stack>
          </Fieldset>
        );
      })}
    </SettingsSection>
  );
}
