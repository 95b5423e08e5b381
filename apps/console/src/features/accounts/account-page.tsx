import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { TbDeviceDesktop, TbDeviceMobile, TbDeviceTablet, TbDevices } from 'react-icons/tb';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../core/errors/error-texts.js';
import { cloudsQuery } from '../../core/family-cloud/queries.js';
import { useSession } from '../../core/session/use-session.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { DateTime } from '../../ui/date-time.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { PageTitle } from '../../ui/page-title.js';
import { PhoneField } from '../../ui/phone-field.js';
import { QueryView } from '../../ui/query-view.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { Section } from '../../ui/section.js';
import { TimeZoneSelect } from '../../ui/time-zone-select.js';
import { useUnsavedChanges } from '../../ui/unsaved-changes.js';
import { devicesQuery, profileQuery, type Device, type Profile } from './queries.js';
import { PasswordForm } from './password-form.js';
import { PhotoField } from './photo/photo-field.js';
import { SmsCodeInput } from './sms-code-input.js';
import { useStepUp } from './step-up.js';
import { useSmsCode } from './use-sms-code.js';

/** Profile, password, phone number and devices of the person. */
export function AccountPage() {
  const { t } = useTranslation('accounts');
  const profile = useQuery(profileQuery(useSession()));
  return (
    <Stack maw={560}>
      <PageTitle title={t('account')} back={{ to: '/family' }} />
      <QueryView query={profile}>
        {(data) => (
          <Stack>
            <ProfilePhoto profile={data} />
            <ProfileForm profile={data} />
            <PasswordForm profile={data} />
            <PhoneForm key={data.phoneNumber} profile={data} />
          </Stack>
        )}
      </QueryView>
      <Devices />
    </Stack>
  );
}

function ProfilePhoto({ profile: { nickname, avatar } }: { profile: Profile }) {
  const session = useSession();
  const clouds = useQuery(cloudsQuery(session)).data ?? [];
  // The photo is in the cloud of one family, and seen by its members: preferably in the person's own one.
  const cloud = clouds.find(({ role }) => role === 'OWNER') ?? clouds.find(({ role }) => role === 'MANAGER');
  return (
    <PhotoField
      name={nickname}
      avatar={avatar}
      cloudID={cloud?.cloudID}
      update={(next) => session.client.accounts.updateProfile({ avatar: next })}
    />
  );
}

function ProfileForm({ profile: { nickname, timeZone } }: { profile: Profile }) {
  const { t } = useTranslation('accounts');
  const { client } = useSession();
  const queries = useQueryClient();
  const fieldErrors = useFieldErrors();
  const form = useForm({ initialValues: { nickname, timeZone } });
  useUnsavedChanges(form.isDirty);
  const update = useMutation({
    mutationFn: (values: typeof form.values) => client.accounts.updateProfile(values),
    onSuccess: async () => {
      form.resetDirty();
      await Promise.all([['profile'], ['families']].map((queryKey) => queries.invalidateQueries({ queryKey })));
      notifications.show({ message: t('saved') });
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <Section title={t('profile')}>
      <form onSubmit={form.onSubmit((values) => update.mutate(values))}>
        <Stack>
          <TextInput label={t('nickname')} required autoComplete="nickname" {...form.getInputProps('nickname')} />
          <TimeZoneSelect {...form.getInputProps('timeZone')} />
          <ErrorAlert error={update.error} />
          <Button type="submit" variant="light" loading={update.isPending}>
            {t('save')}
          </Button>
        </Stack>
      </form>
    </Section>
  );
}

function PhoneForm({ profile }: { profile: Profile }) {
  const { t } = useTranslation('accounts');
  const { client } = useSession();
  const queries = useQueryClient();
  const fieldErrors = useFieldErrors();
  const withStepUp = useStepUp();
  const form = useForm({ initialValues: { areaCode: profile.areaCode, phoneNumber: '', code: '' } });
  useUnsavedChanges(form.isDirty);
  const sms = useSmsCode('CHANGE_PHONE');
  const showErrors = (error: unknown) => form.setErrors(fieldErrors(error));
  const change = useMutation({
    mutationFn: ({ code }: { code: string }) =>
      withStepUp((stepUp) => client.accounts.changePhone({ challengeId: sms.challengeId ?? '', code, stepUp })),
    onSuccess: async () => {
      form.resetDirty();
      await Promise.all([['profile'], ['account']].map((queryKey) => queries.invalidateQueries({ queryKey })));
      notifications.show({ message: t('phoneChanged') });
    },
    onError: showErrors,
  });
  return (
    <Section title={t('changePhone')}>
      <form onSubmit={form.onSubmit((values) => change.mutate(values))}>
        <Stack>
          <Text>{t('currentPhone', { number: `${profile.areaCode} ${profile.phoneNumber}` })}</Text>
          <PhoneField label={t('newPhoneNumber')} getInputProps={form.getInputProps} isOwn />
          <SmsCodeInput sms={sms} phone={form.values} onError={showErrors} inputProps={form.getInputProps('code')} />
          <ErrorAlert error={change.error ?? sms.request.error} />
          <Button type="submit" variant="light" loading={change.isPending} disabled={!sms.challengeId}>
            {t('changePhone')}
          </Button>
        </Stack>
      </form>
    </Section>
  );
}

function Devices() {
  const { t } = useTranslation('accounts');
  const session = useSession();
  const queries = useQueryClient();
  const devices = useQuery(devicesQuery(session));
  const endOthers = useMutation({
    mutationFn: () => session.client.accounts.deleteOtherSessions(),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['account', 'sessions'] }),
  });
  return (
    <Section title={t('devices')}>
      <QueryView query={devices}>
        {({ items }) => (
          <Stack>
            {items.map((device) => (
              <DeviceRow key={device.sessionId} device={device} />
            ))}
            {items.length > 1 && (
              <ConfirmButton label={t('endOthers')} question={t('endOthersQuestion')} action={endOthers} />
            )}
          </Stack>
        )}
      </QueryView>
    </Section>
  );
}

const DEVICE_ICONS = {
  PHONE: TbDeviceMobile,
  TABLET: TbDeviceTablet,
  COMPUTER: TbDeviceDesktop,
  UNKNOWN: TbDevices,
} as const;

function DeviceRow({ device }: { device: Device }) {
  const { t } = useTranslation('accounts');
  const { client } = useSession();
  const queries = useQueryClient();
  const { sessionId, kind, deviceName, network, createdAt, lastUsedAt, current } = device;
  const Icon = DEVICE_ICONS[kind];
  const end = useMutation({
    mutationFn: () => client.accounts.deleteSession({ sessionId }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['account', 'sessions'] }),
  });
  return (
    <Group wrap="nowrap" align="start">
      <Icon aria-hidden style={{ flex: 'none' }} />
      <Stack gap={2} flex={1} miw={0} align="start">
        <Text>{deviceName ?? browserOf(device.client) ?? t(`device${kind}`)}</Text>
        <Text size="sm" c="dimmed">
          {t('lastUsed')} <RelativeTime time={lastUsedAt} />
        </Text>
        <Text size="sm" c="dimmed">
          {t('signedIn')} <DateTime time={createdAt} />
          {network !== null && ` · ${network}`}
        </Text>
        {current ? (
          <Badge variant="light" tt="none" size="lg">
            {t('thisDevice')}
          </Badge>
        ) : (
          <ConfirmButton label={t('endSession')} question={t('endSessionQuestion')} action={end} />
        )}
      </Stack>
    </Group>
  );
}

/** Returns the browser and system that a User-Agent names, or its beginning. */
function browserOf(userAgent: string | null): string | undefined {
  if (userAgent === null) return undefined;
  // The order matters: Edge and Opera also name Chrome, and Chrome also names Safari.
  const browser = /(Edg|OPR|Firefox|HeadlessChrome|Chrome|Safari)\//.exec(userAgent)?.[1];
  const system = /(iPhone|iPad|Android|Windows|Mac OS X|Linux)/.exec(userAgent)?.[1];
  if (browser === undefined) return userAgent.split(' ', 1)[0];
  const name = { Edg: 'Edge', OPR: 'Opera', HeadlessChrome: 'Chrome' }[browser] ?? browser;
  return system === undefined ? name : `${name} · ${system}`;
}
