import { Badge, Card, Group, Stack, Text } from '@mantine/core';
import {
  TbAdjustments,
  TbAlarm,
  TbAddressBook,
  TbChevronRight,
  TbDeviceRemote,
  TbMapPinQuestion,
  TbMoodKid,
  TbPhoneOff,
  TbSchool,
} from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { PageTitle } from '../../../ui/page-title.js';
import { alarmClocksQuery, deviceSettingsQuery, schoolTimesQuery, strangerRuleQuery } from './queries.js';
import { UnbindWatch } from './unbind-watch.js';
import { useWatch } from './use-watch.js';

const PAGES = [
  { path: 'contacts', text: 'contacts', hint: 'contactsHint', Icon: TbAddressBook, resource: null },
  { path: 'friends', text: 'friends', hint: 'friendsHint', Icon: TbMoodKid, resource: null },
  { path: 'alarms', text: 'alarms', hint: 'alarmsHint', Icon: TbAlarm, resource: 'alarms' },
  { path: 'school-times', text: 'schoolTimes', hint: 'schoolTimesHint', Icon: TbSchool, resource: 'schoolTimes' },
  { path: 'strangers', text: 'strangers', hint: 'strangersHint', Icon: TbPhoneOff, resource: 'strangers' },
  { path: 'device', text: 'device', hint: 'deviceHint', Icon: TbAdjustments, resource: 'device' },
  { path: 'lost-mode', text: 'lostMode', hint: 'lostModeHint', Icon: TbMapPinQuestion, resource: 'device' },
  { path: 'remote-control', text: 'remote', hint: 'remoteHint', Icon: TbDeviceRemote, resource: null },
] as const;

/** All settings of a watch, and which of them the watch has not applied. */
export function SettingsIndexPage() {
  const { t } = useTranslation('watchSettings');
  const session = useSession();
  const { cid, did, name } = useWatch();
  const states = {
    alarms: useQuery(alarmClocksQuery(session, did)).data?.state,
    schoolTimes: useQuery(schoolTimesQuery(session, did)).data?.state,
    strangers: useQuery(strangerRuleQuery(session, did)).data?.state,
    device: useQuery(deviceSettingsQuery(session, did)).data?.state,
  };
  return (
    <Stack maw={720}>
      <PageTitle title={t('title', { name })} back={{ to: '/children' }} />
      <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
        {PAGES.map(({ path, text, hint, Icon, resource }) => {
          const state = resource === null ? undefined : states[resource];
          return (
            <li key={path}>
              <Card
                renderRoot={(props) => <Link {...props} to={`/children/$cid/settings/${path}`} params={{ cid }} />}
                withBorder
              >
                <Group wrap="nowrap">
                  <Icon aria-hidden />
                  <Stack gap={0} flex={1} miw={0}>
                    <Text fw={600}>{t(text)}</Text>
                    <Text size="sm" c="dimmed">
                      {t(hint)}
                    </Text>
                    {state !== undefined && state !== 'APPLIED' && (
                      <Badge mt={4} variant="light" tt="none" color={state === 'PENDING' ? 'gray' : 'orange'}>
                        {t(state)}
                      </Badge>
                    )}
                  </Stack>
                  <TbChevronRight className="mantine-rotate-rtl" aria-hidden />
                </Group>
              </Card>
            </li>
          );
        })}
      </Stack>
      <UnbindWatch />
    </Stack>
  );
}
