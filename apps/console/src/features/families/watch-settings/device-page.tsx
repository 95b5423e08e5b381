import type { Schema } from '@family-watch/client';
import { Checkbox, Group, Radio, Select, Slider, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../../../core/texts.js';
import { useSession } from '../../../core/session/use-session.js';
import { useDateFormat } from '../../../ui/date-time.js';
import { formatClock } from '../../../ui/format.js';
import { QueryView } from '../../../ui/query-view.js';
import { LocationScheduleForm } from './location-schedule-form.js';
import { deviceSettingsQuery } from './queries.js';
import { SettingsPage, useChildTimeZone } from './settings-page.js';
import { SettingsState } from './settings-state.js';
import { SettingsSection } from './settings-section.js';
import { useSettingsChange } from './use-settings-change.js';
import { useWatch } from './use-watch.js';

type Settings = Schema<'DeviceSettingsDto'>;
type Seen = readonly [version: number, setVersion: (version: number) => void];

const RING_MODES = ['RING', 'VIBRATE', 'RING_AND_VIBRATE', 'SILENT'] as const;
const LOCATION_MODES = ['SAVE', 'NORMAL', 'FOLLOW'] as const;
const LANGUAGES = [
  { value: 'en', label: 'English' },
  { value: 'zh-CN', label: '简体中文' },
];
/** What the sliders show before the person has chosen a value, per cent. */
const PROPOSED_LEVEL = 60;

export function DevicePage() {
  const { t } = useTranslation('watchSettings');
  const session = useSession();
  const { did } = useWatch();
  const query = useQuery(deviceSettingsQuery(session, did));
  return (
    <SettingsPage title={t('device')} hasTimes>
      <QueryView query={query}>
        {(settings) => (
          <>
            <SettingsState status={settings} checkedAt={query.dataUpdatedAt} />
            <DeviceForms settings={settings} />
          </>
        )}
      </QueryView>
    </SettingsPage>
  );
}

/** All forms change the same versioned settings. */
function DeviceForms({ settings }: { settings: Settings }) {
  const seen = useState(settings.version);
  return (
    <>
      <SoundForm settings={settings} seen={seen} />
      <LocationModeForm settings={settings} seen={seen} />
      <LocationScheduleForm settings={settings} seen={seen} />
    </>
  );
}

function SoundForm({ settings, seen }: { settings: Settings; seen: Seen }) {
  const { t } = useTranslation('watchSettings');
  const [ownLanguage] = useLanguage();
  const { client } = useSession();
  const { did } = useWatch();
  const { volume, brightness, ringMode, language, powerSchedule } = settings;
  const form = useForm({
    initialValues: {
      volume,
      brightness,
      ringMode,
      language,
      hasPowerSchedule: powerSchedule !== null,
      on: powerSchedule?.on ?? '07:00',
      off: powerSchedule?.off ?? '21:00',
    },
  });
  const { change, isStale } = useSettingsChange({
    queryKey: ['watch-settings', did],
    version: settings.version,
    seen,
    save: ({ hasPowerSchedule, on, off, ...values }: typeof form.values, version) =>
      client.watches.updateSettings({ ...values, did, version, powerSchedule: hasPowerSchedule ? { on, off } : null }),
    form,
  });
  const stored = [
    `${t('volume')} ${volume ?? '–'}`,
    `${t('brightness')} ${brightness ?? '–'}`,
    ringMode === null ? '' : t(ringMode),
    language ?? '',
    powerSchedule === null
      ? ''
      : `${formatClock(powerSchedule.on, ownLanguage)}–${formatClock(powerSchedule.off, ownLanguage)}`,
  ];
  return (
    <SettingsSection
      title={t('sound')}
      onSubmit={form.onSubmit((values) => change.mutate(values))}
      change={change}
      isStale={isStale}
      current={stored.filter((each) => each !== '').join(' · ')}
    >
      <LevelField label={t('volume')} {...form.getInputProps('volume')} />
      <LevelField label={t('brightness')} {...form.getInputProps('brightness')} />
      <Select
        label={t('ringMode')}
        placeholder={t('watchDecides')}
        clearable
        data={RING_MODES.map((mode) => ({ value: mode, label: t(mode) }))}
        {...form.getInputProps('ringMode')}
      />
      <Select
        label={t('language')}
        placeholder={t('watchDecides')}
        clearable
        data={LANGUAGES}
        {...form.getInputProps('language')}
      />
      <Switch
        label={t('powerSchedule')}
        description={t('powerWarning')}
        {...form.getInputProps('hasPowerSchedule', { type: 'checkbox' })}
      />
      {form.values.hasPowerSchedule && (
        <Group grow align="start">
          <TextInput type="time" label={t('powerOn')} required {...form.getInputProps('on')} />
          <TextInput type="time" label={t('powerOff')} required {...form.getInputProps('off')} />
        </Group>
      )}
    </SettingsSection>
  );
}

interface LevelFieldProps {
  label: string;
  /** Per cent; null if the watch decides. */
  value?: number | null;
  onChange?: (value: number | null) => void;
  error?: string;
}

function LevelField({ label, value = null, onChange, error }: LevelFieldProps) {
  const { t } = useTranslation('watchSettings');
  return (
    <Stack gap={4}>
      <Group justify="space-between">
        <Text fw={500} aria-hidden>
          {label} {value !== null && `${value} %`}
        </Text>
        <Checkbox
          label={t('watchDecides')}
          aria-label={`${label}: ${t('watchDecides')}`}
          checked={value === null}
          onChange={({ currentTarget }) => onChange?.(currentTarget.checked ? null : PROPOSED_LEVEL)}
        />
      </Group>
      {value !== null && <Slider size="lg" py={10} thumbLabel={label} label={null} value={value} onChange={onChange} />}
      {error !== undefined && (
        <Text size="sm" c="red" role="alert">
          {error}
        </Text>
      )}
    </Stack>
  );
}

function LocationModeForm({ settings, seen }: { settings: Settings; seen: Seen }) {
  const { t } = useTranslation('watchSettings');
  const format = useDateFormat('date-time', useChildTimeZone());
  const { client } = useSession();
  const { did } = useWatch();
  const { locationMode, locationModeUntil, locationModeAfter } = settings;
  const [mode, setMode] = useState(locationMode);
  const { change, isStale } = useSettingsChange({
    queryKey: ['watch-settings', did],
    version: settings.version,
    seen,
    save: (chosen: Settings['locationMode'], version) => client.locations.updateMode({ did, version, mode: chosen }),
  });
  return (
    <SettingsSection
      title={t('locationMode')}
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate(mode);
      }}
      change={change}
      isStale={isStale}
      current={t(locationMode)}
    >
      {locationModeUntil !== null && locationModeAfter !== null && (
        <Text>
          {t(locationMode)}:{' '}
          {t('modeUntil', {
            time: format(locationModeUntil),
            mode: t(locationModeAfter),
          })}
        </Text>
      )}
      <Radio.Group aria-label={t('locationMode')} value={mode} onChange={(value) => setMode(value)}>
        {LOCATION_MODES.map((each) => (
          <Radio key={each} value={each} label={t(each)} description={t(`${each}Hint`)} />
        ))}
      </Radio.Group>
    </SettingsSection>
  );
}
