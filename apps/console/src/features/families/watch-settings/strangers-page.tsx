import type { Schema } from '@family-watch/client';
import { Button, Card, Checkbox, Group, Select, Stack, Switch, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { useDateFormat } from '../../../ui/date-time.js';
import { PhoneField } from '../../../ui/phone-field.js';
import { QueryView } from '../../../ui/query-view.js';
import { RelativeTime } from '../../../ui/relative-time.js';
import { blockedCallsQuery, strangerRuleQuery } from './queries.js';
import { FormButtons } from './form-buttons.js';
import { SettingsPage } from './settings-page.js';
import { SettingsState } from './settings-state.js';
import { SettingsError, useSettingsChange, useSettingsClick } from './use-settings-change.js';
import { useWatch } from './use-watch.js';

/** Seconds for which a number may be allowed. */
const DURATIONS = [3_600, 86_400, 604_800] as const;

export function StrangersPage() {
  const { t } = useTranslation('watchSettings');
  const session = useSession();
  const { did } = useWatch();
  const rule = useQuery(strangerRuleQuery(session, did));
  const calls = useQuery(blockedCallsQuery(session, did));
  /** The number in the form; an empty one for a number that is typed. */
  const [allowed, setAllowed] = useState<{ areaCode: string; phoneNumber: string }>();
  return (
    <SettingsPage title={t('strangers')}>
      <QueryView query={rule}>
        {(data) => (
          <>
            <SettingsState status={data} checkedAt={rule.dataUpdatedAt} />
            <RuleSwitch rule={data} />
            <Title order={2} size="h3">
              {t('allowedNumbers')}
            </Title>
            {data.allowNumbers.length === 0 && <Text c="dimmed">{t('noAllowedNumbers')}</Text>}
            {data.allowNumbers.map((each) => (
              <AllowedNumber key={each.allowId} number={each} version={data.version} />
            ))}
            {allowed ? (
              <Card withBorder>
                <AllowNumberForm
                  key={allowed.phoneNumber}
                  number={allowed}
                  version={data.version}
                  onClose={() => setAllowed(undefined)}
                />
              </Card>
            ) : (
              <Button variant="light" onClick={() => setAllowed({ areaCode: '+86', phoneNumber: '' })}>
                {t('allowNumber')}
              </Button>
            )}
          </>
        )}
      </QueryView>
      <Title order={2} size="h3">
        {t('blockedCalls')}
      </Title>
      <QueryView query={calls}>
        {({ items }) =>
          items.length === 0 ? (
            <Text c="dimmed">{t('noBlockedCalls')}</Text>
          ) : (
            <Stack gap="xs">
              {items.map(({ callId, time, areaCode, phoneNumber, cause }) => (
                <Card key={callId} withBorder>
                  <Group justify="space-between">
                    <Stack gap={0}>
                      <Text fw={600}>{phoneNumber === null ? t('withheld') : `${areaCode ?? ''} ${phoneNumber}`}</Text>
                      <Text size="sm" c="dimmed">
                        {t(cause)} · <RelativeTime time={time} />
                      </Text>
                    </Stack>
                    {phoneNumber !== null && cause === 'STRANGER' && (
                      <Button
                        variant="light"
                        aria-label={t('allowThisNamed', { number: phoneNumber })}
                        onClick={() => setAllowed({ areaCode: areaCode ?? '+86', phoneNumber })}
                      >
                        {t('allowThis')}
                      </Button>
                    )}
                  </Group>
                </Card>
              ))}
            </Stack>
          )
        }
      </QueryView>
    </SettingsPage>
  );
}

function RuleSwitch({ rule: { enabled, version } }: { rule: Schema<'StrangerRuleDto'> }) {
  const { t } = useTranslation('watchSettings');
  const { client } = useSession();
  const { did } = useWatch();
  const toggle = useSettingsClick(['strangers', 'rule', did], (isEnabled: boolean) =>
    client.strangers.updateRule({ did, version, enabled: isEnabled }),
  );
  return (
    <>
      <Switch
        label={t('rejectStrangers')}
        checked={enabled}
        disabled={toggle.isPending}
        onChange={({ currentTarget }) => toggle.mutate(currentTarget.checked)}
      />
      <SettingsError error={toggle.error} />
    </>
  );
}

function AllowedNumber({ number, version }: { number: Schema<'AllowedNumberDto'>; version: number }) {
  const { t } = useTranslation('watchSettings');
  const format = useDateFormat();
  const { client } = useSession();
  const { did } = useWatch();
  const { allowId, areaCode, phoneNumber, once, expiresAt } = number;
  const remove = useSettingsClick(['strangers', 'rule', did], () =>
    client.strangers.deleteAllowNumber({ did, version, allowId }),
  );
  return (
    <Card withBorder>
      <Group justify="space-between">
        <Stack gap={0}>
          <Text fw={600}>
            {areaCode} {phoneNumber}
          </Text>
          <Text size="sm" c="dimmed">
            {t('until', { time: format(expiresAt) })}
            {once && ` · ${t('once')}`}
          </Text>
        </Stack>
        <ConfirmButton
          label={t('delete')}
          aria-label={t('deleteNamed', { name: phoneNumber })}
          title={t('deleteAllowed', { number: phoneNumber })}
          action={remove}
        />
      </Group>
    </Card>
  );
}

interface AllowNumberFormProps {
  number: { areaCode: string; phoneNumber: string };
  version: number;
  onClose: () => void;
}

function AllowNumberForm({ number, version, onClose }: AllowNumberFormProps) {
  const { t } = useTranslation('watchSettings');
  const { client } = useSession();
  const { did } = useWatch();
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const form = useForm({ initialValues: { ...number, once: true, expiresIn: String(DURATIONS[0]) } });
  const { change, isStale } = useSettingsChange({
    queryKey: ['strangers', 'rule', did],
    version,
    save: ({ expiresIn, ...values }: typeof form.values, seenVersion) =>
      client.strangers.createAllowNumber(
        { ...values, did, version: seenVersion, expiresIn: Number(expiresIn) },
        { idempotencyKey },
      ),
    onSaved: onClose,
    form,
  });
  return (
    <form onSubmit={form.onSubmit((values) => change.mutate(values))}>
      <Stack gap="sm">
        <PhoneField label={t('phoneNumber')} getInputProps={form.getInputProps} />
        <Select
          label={t('duration')}
          allowDeselect={false}
          data={DURATIONS.map((seconds) => ({ value: String(seconds), label: t(`duration${seconds}`) }))}
          {...form.getInputProps('expiresIn')}
        />
        <Checkbox label={t('once')} {...form.getInputProps('once', { type: 'checkbox' })} />
        <SettingsError error={change.error} />
        <FormButtons isStale={isStale} isPending={change.isPending} onClose={onClose} />
      </Stack>
    </form>
  );
}
