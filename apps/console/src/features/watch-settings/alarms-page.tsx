import type { Schema } from '@family-watch/client';
import { Button, Card, Group, SegmentedControl, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useFieldErrors } from '../../app/errors/error-texts.js';
import { useSession } from '../../app/session/use-session.js';
import { useLanguage, useTexts } from '../../app/texts.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { QueryView } from '../../ui/query-view.js';
import { DatesField } from './dates-field.js';
import { alarmClocksQuery } from './queries.js';
import { FormButtons } from './form-buttons.js';
import { SettingsPage } from './settings-page.js';
import { SettingsState } from './settings-state.js';
import { texts } from './texts.js';
import { SettingsError, useSettingsChange, useSettingsClick } from './use-settings-change.js';
import { useWatch } from './use-watch.js';
import { useWeekdaysText, WeekdaysField } from './weekdays.js';

type Alarm = Schema<'AlarmClockDto'>;

export function AlarmsPage() {
  const t = useTexts(texts);
  const session = useSession();
  const { did } = useWatch();
  const query = useQuery(alarmClocksQuery(session, did));
  /** The alarm in the form; `new` for one that does not exist yet. */
  const [edited, setEdited] = useState<string>();
  const close = () => setEdited(undefined);
  return (
    <SettingsPage title={t('alarms')}>
      <QueryView query={query}>
        {(alarms) => (
          <>
            <SettingsState status={alarms} checkedAt={query.dataUpdatedAt} />
            {alarms.items.length === 0 && edited === undefined && <Text c="dimmed">{t('noAlarms')}</Text>}
            {alarms.items.map((alarm) => (
              <Card key={alarm.alarmId} withBorder>
                <Stack gap="sm">
                  <AlarmLine
                    alarm={alarm}
                    version={alarms.version}
                    onEdit={() => setEdited(edited === alarm.alarmId ? undefined : alarm.alarmId)}
                  />
                  {edited === alarm.alarmId && <AlarmForm alarm={alarm} version={alarms.version} onClose={close} />}
                </Stack>
              </Card>
            ))}
            {edited === 'new' ? (
              <Card withBorder>
                <AlarmForm version={alarms.version} onClose={close} />
              </Card>
            ) : (
              <Button variant="light" onClick={() => setEdited('new')}>
                {t('addAlarm')}
              </Button>
            )}
          </>
        )}
      </QueryView>
    </SettingsPage>
  );
}

function formatTime({ hour, minute }: Pick<Alarm, 'hour' | 'minute'>): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}

/** Returns a function that describes an alarm in one line. */
function useAlarmText(): (alarm: Alarm) => string {
  const t = useTexts(texts);
  const weekdaysText = useWeekdaysText();
  return (alarm) => {
    const { repeat, weekdays, label } = alarm;
    const days = repeat === 'CUSTOM' ? weekdaysText(weekdays) : t(repeat === 'DAILY' ? 'everyDay' : 'onlyOnce');
    return [formatTime(alarm), days, label].filter((each) => each !== '').join(' · ');
  };
}

function AlarmLine({ alarm, version, onEdit }: { alarm: Alarm; version: number; onEdit: () => void }) {
  const t = useTexts(texts);
  const [language] = useLanguage();
  const { client } = useSession();
  const { did } = useWatch();
  const alarmText = useAlarmText();
  const { alarmId, enabled, nextRingAt } = alarm;
  const queryKey = ['alarm-clocks', did];
  const toggle = useSettingsClick(queryKey, (isEnabled: boolean) =>
    client.alarmClocks.update({ did, version, alarmId, enabled: isEnabled }),
  );
  const remove = useSettingsClick(queryKey, () => client.alarmClocks.delete({ did, version, alarmId }));
  const time = formatTime(alarm);
  return (
    <>
      <Group justify="space-between" wrap="nowrap" align="start">
        <Stack gap={0}>
          <Title order={2} size="h3">
            {time}
          </Title>
          <Text size="sm">{alarmText(alarm).slice(time.length + 3)}</Text>
          {enabled && (
            <Text size="sm" c="dimmed">
              {nextRingAt === null
                ? t('ringsNoMore')
                : t('nextRinging', {
                    time: new Date(nextRingAt).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' }),
                  })}
            </Text>
          )}
        </Stack>
        <Switch
          size="lg"
          py={8}
          aria-label={t('enabledNamed', { name: time })}
          checked={enabled}
          disabled={toggle.isPending}
          onChange={({ currentTarget }) => toggle.mutate(currentTarget.checked)}
        />
      </Group>
      <SettingsError error={toggle.error} current={alarmText(alarm)} />
      <Group>
        <Button variant="light" aria-label={t('editNamed', { name: time })} onClick={onEdit}>
          {t('edit')}
        </Button>
        <ConfirmButton
          label={t('delete')}
          aria-label={t('deleteNamed', { name: time })}
          question={t('deleteAlarm', { time })}
          action={remove}
        />
      </Group>
    </>
  );
}

function AlarmForm({ alarm, version, onClose }: { alarm?: Alarm; version: number; onClose: () => void }) {
  const t = useTexts(texts);
  const { client } = useSession();
  const { did } = useWatch();
  const fieldErrors = useFieldErrors();
  const alarmText = useAlarmText();
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const form = useForm({
    initialValues: {
      time: alarm ? formatTime(alarm) : '07:00',
      repeat: alarm?.repeat ?? 'DAILY',
      weekdays: alarm?.weekdays ?? [],
      skipDates: alarm?.skipDates ?? [],
      label: alarm?.label ?? '',
    },
  });
  const { change, isStale } = useSettingsChange({
    queryKey: ['alarm-clocks', did],
    version,
    save: ({ time, repeat, weekdays, ...values }: typeof form.values, seenVersion) => {
      const [hour = NaN, minute = NaN] = time.split(':').map(Number);
      const days = repeat === 'CUSTOM' ? weekdays : [];
      const fields = { ...values, did, version: seenVersion, hour, minute, repeat, weekdays: days };
      return alarm
        ? client.alarmClocks.update({ ...fields, alarmId: alarm.alarmId })
        : client.alarmClocks.create(fields, { idempotencyKey });
    },
    onSaved: () => {
      notifications.show({ message: t('saved') });
      onClose();
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <form onSubmit={form.onSubmit((values) => change.mutate(values))}>
      <Stack gap="sm">
        <TextInput type="time" label={t('time')} required {...form.getInputProps('time')} />
        <Stack gap={4}>
          <Text fw={500} aria-hidden>
            {t('repeat')}
          </Text>
          <SegmentedControl
            aria-label={t('repeat')}
            size="md"
            data={[
              { value: 'ONCE', label: t('onlyOnce') },
              { value: 'DAILY', label: t('everyDay') },
              { value: 'CUSTOM', label: t('chosenDays') },
            ]}
            {...form.getInputProps('repeat')}
          />
        </Stack>
        {form.values.repeat === 'CUSTOM' && <WeekdaysField {...form.getInputProps('weekdays')} />}
        <TextInput label={t('label')} {...form.getInputProps('label')} />
        <DatesField label={t('skipDates')} {...form.getInputProps('skipDates')} />
        <SettingsError error={change.error} current={alarm && alarmText(alarm)} />
        <FormButtons isStale={isStale} isPending={change.isPending} onClose={onClose} />
      </Stack>
    </form>
  );
}
