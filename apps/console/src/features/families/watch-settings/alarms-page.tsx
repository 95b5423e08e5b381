import type { Schema } from '@family-watch/client';
import { SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../../../core/texts.js';
import { useSession } from '../../../core/session/use-session.js';
import { DatesField } from '../../../ui/dates-field.js';
import { useDateFormat } from '../../../ui/date-time.js';
import { formatClock } from '../../../ui/format.js';
import { QueryView } from '../../../ui/query-view.js';
import { useWeekdaysText, WeekdaysField } from '../../../ui/weekdays.js';
import { EditableList, SwitchedItem } from './editable-list.js';
import { alarmClocksQuery } from './queries.js';
import { FormButtons } from './form-buttons.js';
import { SettingsPage, useChildTimeZone } from './settings-page.js';
import { SettingsState } from './settings-state.js';
import { SettingsError, useSettingsChange, useSettingsClick } from './use-settings-change.js';
import { useWatch } from './use-watch.js';

type Alarm = Schema<'AlarmClockDto'>;

export function AlarmsPage() {
  const { t } = useTranslation('watchSettings');
  const session = useSession();
  const { did } = useWatch();
  const query = useQuery(alarmClocksQuery(session, did));
  return (
    <SettingsPage title={t('alarms')} hasTimes>
      <QueryView query={query}>
        {(alarms) => (
          <>
            <SettingsState status={alarms} checkedAt={query.dataUpdatedAt} />
            <EditableList
              items={alarms.items}
              idOf={({ alarmId }) => alarmId}
              empty={t('noAlarms')}
              add={t('addAlarm')}
              renderItem={(alarm, onEdit) => <AlarmItem alarm={alarm} version={alarms.version} onEdit={onEdit} />}
              renderForm={(alarm, onClose) => <AlarmForm alarm={alarm} version={alarms.version} onClose={onClose} />}
            />
          </>
        )}
      </QueryView>
    </SettingsPage>
  );
}

/** Returns the value of a time field. */
function timeText({ hour, minute }: Pick<Alarm, 'hour' | 'minute'>): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}

/** Returns a function that describes an alarm in one line. */
function useAlarmText(): (alarm: Alarm) => string {
  const { t } = useTranslation('watchSettings');
  const [language] = useLanguage();
  const weekdaysText = useWeekdaysText();
  return (alarm) => {
    const { repeat, weekdays, label } = alarm;
    const days = repeat === 'CUSTOM' ? weekdaysText(weekdays) : t(repeat === 'DAILY' ? 'everyDay' : 'onlyOnce');
    return [formatClock(timeText(alarm), language), days, label].filter((each) => each !== '').join(' · ');
  };
}

function AlarmItem({ alarm, version, onEdit }: { alarm: Alarm; version: number; onEdit: () => void }) {
  const { t } = useTranslation('watchSettings');
  const [language] = useLanguage();
  const format = useDateFormat('date-time', useChildTimeZone());
  const { client } = useSession();
  const { did } = useWatch();
  const alarmText = useAlarmText();
  const { alarmId, enabled, nextRingAt } = alarm;
  const queryKey = ['alarm-clocks', did];
  const toggle = useSettingsClick(queryKey, (isEnabled: boolean) =>
    client.alarmClocks.update({ did, version, alarmId, enabled: isEnabled }),
  );
  const remove = useSettingsClick(queryKey, () => client.alarmClocks.delete({ did, version, alarmId }));
  const time = formatClock(timeText(alarm), language);
  return (
    <SwitchedItem
      name={time}
      enabled={enabled}
      toggle={toggle}
      current={alarmText(alarm)}
      deletion={{ title: t('deleteAlarm', { time }), action: remove }}
      onEdit={onEdit}
    >
      <Text size="sm">{alarmText(alarm).slice(time.length + 3)}</Text>
      {enabled && (
        <Text size="sm" c="dimmed">
          {nextRingAt === null ? t('ringsNoMore') : t('nextRinging', { time: format(nextRingAt) })}
        </Text>
      )}
    </SwitchedItem>
  );
}

function AlarmForm({ alarm, version, onClose }: { alarm?: Alarm; version: number; onClose: () => void }) {
  const { t } = useTranslation('watchSettings');
  const { client } = useSession();
  const { did } = useWatch();
  const alarmText = useAlarmText();
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const form = useForm({
    initialValues: {
      time: alarm ? timeText(alarm) : '07:00',
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
    onSaved: onClose,
    form,
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
