import type { Schema } from '@family-watch/client';
import { Alert, Button, Checkbox, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../../../core/texts.js';
import { useSession } from '../../../core/session/use-session.js';
import { DatesField } from '../../../ui/dates-field.js';
import { DateTime } from '../../../ui/date-time.js';
import { formatClock } from '../../../ui/format.js';
import { QueryView } from '../../../ui/query-view.js';
import { useWeekdaysText, WeekdaysField } from '../../../ui/weekdays.js';
import { EditableList, SwitchedItem } from './editable-list.js';
import { contactsQuery, earlyExitsQuery, schoolTimesQuery } from './queries.js';
import { FormButtons } from './form-buttons.js';
import { SettingsPage, useChildTimeZone } from './settings-page.js';
import { SettingsState } from './settings-state.js';
import { SettingsError, useSettingsChange, useSettingsClick } from './use-settings-change.js';
import { useWatch } from './use-watch.js';

type SchoolTime = Schema<'SchoolTimeDto'>;

export function SchoolTimesPage() {
  const { t } = useTranslation('watchSettings');
  const session = useSession();
  const { did } = useWatch();
  const query = useQuery(schoolTimesQuery(session, did));
  return (
    <SettingsPage title={t('schoolTimes')} hasTimes>
      <QueryView query={query}>
        {(schoolTimes) => {
          const { items, version } = schoolTimes;
          return (
            <>
              <SettingsState status={schoolTimes} checkedAt={query.dataUpdatedAt} />
              {items.length > 0 && <PauseToday schoolTimes={schoolTimes} />}
              <EditableList
                items={items}
                idOf={({ schoolTimeId }) => schoolTimeId}
                empty={t('noSchoolTimes')}
                add={t('addSchoolTime')}
                renderItem={(each, onEdit) => <SchoolTimeItem schoolTime={each} version={version} onEdit={onEdit} />}
                renderForm={(each, onClose) => <SchoolTimeForm schoolTime={each} version={version} onClose={onClose} />}
              />
            </>
          );
        }}
      </QueryView>
      <EarlyExits />
    </SettingsPage>
  );
}

/** When the child left school mode before its end. */
function EarlyExits() {
  const { t } = useTranslation('watchSettings');
  const session = useSession();
  const { did } = useWatch();
  const timeZone = useChildTimeZone();
  const query = useQuery(earlyExitsQuery(session, did));
  return (
    <>
      <Title order={2} size="h3">
        {t('earlyExits')}
      </Title>
      <QueryView query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Text c="dimmed">{t('noEarlyExits')}</Text>
          ) : (
            <Stack component="ul" gap={4} p={0} m={0} style={{ listStyle: 'none' }}>
              {items.map(({ exitId, time }) => (
                <li key={exitId}>
                  <DateTime time={time} timeZone={timeZone} />
                </li>
              ))}
            </Stack>
          )
        }
      </QueryView>
    </>
  );
}

/** Whether school time is in force now, and the pause until midnight. */
function PauseToday({ schoolTimes: { version, current, pausedOn } }: { schoolTimes: Schema<'SchoolTimesDto'> }) {
  const { t } = useTranslation('watchSettings');
  const { client } = useSession();
  const { did } = useWatch();
  const pause = useSettingsClick(['school-times', did], (paused: boolean) =>
    client.schoolTimes.pauseToday({ did, version, paused }),
  );
  const isPaused = pausedOn !== null;
  return (
    <Alert color="gray" variant="light">
      <Group justify="space-between">
        <Text role="status">{t(isPaused ? 'pausedToday' : current === null ? 'schoolNotNow' : 'schoolNow')}</Text>
        <Button variant="light" loading={pause.isPending} onClick={() => pause.mutate(!isPaused)}>
          {t(isPaused ? 'endPause' : 'pauseToday')}
        </Button>
      </Group>
      <SettingsError error={pause.error} />
    </Alert>
  );
}

/** Returns a function that describes a school time in one line. */
function useSchoolTimeText(): (schoolTime: SchoolTime) => string {
  const [language] = useLanguage();
  const weekdaysText = useWeekdaysText();
  return ({ start, end, weekdays }) =>
    `${formatClock(start, language)}–${formatClock(end, language)} · ${weekdaysText(weekdays)}`;
}

interface SchoolTimeItemProps {
  schoolTime: SchoolTime;
  version: number;
  onEdit: () => void;
}

function SchoolTimeItem({ schoolTime, version, onEdit }: SchoolTimeItemProps) {
  const { t } = useTranslation('watchSettings');
  const { client } = useSession();
  const { did } = useWatch();
  const schoolTimeText = useSchoolTimeText();
  const { schoolTimeId, label, enabled } = schoolTime;
  const queryKey = ['school-times', did];
  const toggle = useSettingsClick(queryKey, (isEnabled: boolean) =>
    client.schoolTimes.update({ did, version, schoolTimeId, enabled: isEnabled }),
  );
  const remove = useSettingsClick(queryKey, () => client.schoolTimes.delete({ did, version, schoolTimeId }));
  const name = label === '' ? t('schoolTime') : label;
  return (
    <SwitchedItem
      name={name}
      enabled={enabled}
      toggle={toggle}
      current={schoolTimeText(schoolTime)}
      deletion={{ title: t('deleteSchoolTime', { name }), action: remove }}
      onEdit={onEdit}
    >
      <Text>{schoolTimeText(schoolTime)}</Text>
    </SwitchedItem>
  );
}

interface SchoolTimeFormProps {
  schoolTime?: SchoolTime;
  version: number;
  onClose: () => void;
}

const INITIAL_VALUES = {
  label: '',
  start: '08:00',
  end: '16:00',
  weekdays: [1, 2, 3, 4, 5],
  holidays: [] as string[],
  extraDates: [] as string[],
  allowContacts: [] as string[],
};

function SchoolTimeForm({ schoolTime, version, onClose }: SchoolTimeFormProps) {
  const { t } = useTranslation('watchSettings');
  const session = useSession();
  const { did } = useWatch();
  const schoolTimeText = useSchoolTimeText();
  const contacts = useQuery(contactsQuery(session, did));
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const form = useForm({
    initialValues: schoolTime ? { ...INITIAL_VALUES, ...pickValues(schoolTime) } : INITIAL_VALUES,
  });
  const { change, isStale } = useSettingsChange({
    queryKey: ['school-times', did],
    version,
    save: (values: typeof INITIAL_VALUES, seenVersion) => {
      const { schoolTimes } = session.client;
      const fields = { ...values, did, version: seenVersion };
      return schoolTime
        ? schoolTimes.update({ ...fields, schoolTimeId: schoolTime.schoolTimeId })
        : schoolTimes.create(fields, { idempotencyKey });
    },
    onSaved: onClose,
    form,
  });
  return (
    <form onSubmit={form.onSubmit((values) => change.mutate(values))}>
      <Stack gap="sm">
        <TextInput label={t('label')} {...form.getInputProps('label')} />
        <Group grow align="start">
          <TextInput type="time" label={t('start')} required {...form.getInputProps('start')} />
          <TextInput type="time" label={t('end')} required {...form.getInputProps('end')} />
        </Group>
        <WeekdaysField {...form.getInputProps('weekdays')} />
        <DatesField label={t('holidays')} {...form.getInputProps('holidays')} />
        <DatesField label={t('extraDates')} {...form.getInputProps('extraDates')} />
        {contacts.data && (
          <Checkbox.Group label={t('allowContacts')} {...form.getInputProps('allowContacts')}>
            {contacts.data.items.map(({ refId, name, schoolAllowed }) => (
              <Checkbox key={refId} value={refId} label={schoolAllowed ? `${name} (${t('schoolAllowed')})` : name} />
            ))}
          </Checkbox.Group>
        )}
        <SettingsError error={change.error} current={schoolTime && schoolTimeText(schoolTime)} />
        <FormButtons isStale={isStale} isPending={change.isPending} onClose={onClose} />
      </Stack>
    </form>
  );
}

function pickValues({ label, start, end, weekdays, holidays, extraDates, allowContacts }: SchoolTime) {
  return { label, start, end, weekdays, holidays, extraDates, allowContacts };
}
