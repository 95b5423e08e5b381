import {
  Badge,
  Button,
  Group,
  NavLink,
  SegmentedControl,
  Select,
  Stack,
  Text,
  Title,
  useMantineColorScheme,
} from '@mantine/core';
import { TbBell, TbChevronRight, TbShieldLock, TbUserCircle, TbUsers } from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { sessionStore } from '../../app/session/session-store.js';
import { useSession } from '../../app/session/use-session.js';
import { useLanguage, useTexts } from '../../app/texts.js';
import type { Language } from '../../app/texts.js';
import { QueryView } from '../../ui/query-view.js';
import { Section } from '../../ui/section.js';
import { DeletedChildren } from './deleted-children.js';
import { OwnJoinRequests } from './own-join-requests.js';
import { familiesQuery, profileQuery } from './queries.js';
import { texts } from './texts.js';

const LANGUAGE_NAMES = [
  { value: 'en', label: 'English' },
  { value: 'zh-CN', label: '简体中文' },
];

const ACCOUNT_PAGES = [
  { to: '/family/account', text: 'profile', Icon: TbUserCircle },
  { to: '/family/account/notifications', text: 'notifications', Icon: TbBell },
  { to: '/family/account/privacy', text: 'privacy', Icon: TbShieldLock },
] as const;

/** The families of the person, the account, and the settings of this page. */
export function FamilyPage() {
  const t = useTexts(texts);
  const [language, setLanguage] = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Stack maw={720}>
      <Title order={1}>{t('title')}</Title>
      <Families />
      <DeletedChildren />
      <OwnJoinRequests />
      <Account />
      <Section title={t('page')}>
        <Select
          label={t('language')}
          data={LANGUAGE_NAMES}
          value={language}
          allowDeselect={false}
          onChange={(value) => setLanguage(value as Language)}
        />
        <SegmentedControl
          aria-label={t('colorScheme')}
          data={[
            { value: 'auto', label: t('auto') },
            { value: 'light', label: t('light') },
            { value: 'dark', label: t('dark') },
          ]}
          value={colorScheme}
          onChange={(value) => setColorScheme(value)}
        />
        <Button variant="light" onClick={() => void sessionStore.signOut()}>
          {t('signOut')}
        </Button>
      </Section>
    </Stack>
  );
}

function Families() {
  const t = useTexts(texts);
  const families = useQuery(familiesQuery(useSession()));
  return (
    <Section title={t('families')}>
      <QueryView query={families}>
        {({ items }) => (
          <Stack gap={0}>
            {items.length === 0 && <Text c="dimmed">{t('noFamily')}</Text>}
            {items.map(({ familyId, name, role }) => (
              <NavLink
                key={familyId}
                h={56}
                label={name}
                leftSection={<TbUsers aria-hidden />}
                rightSection={
                  <Group gap="xs" wrap="nowrap">
                    <Badge variant="light" tt="none" size="lg">
                      {t(`role${role}`)}
                    </Badge>
                    <TbChevronRight size={18} aria-hidden />
                  </Group>
                }
                renderRoot={(props) => <Link {...props} to="/family/$familyId" params={{ familyId }} />}
              />
            ))}
          </Stack>
        )}
      </QueryView>
      <Button renderRoot={(props) => <Link {...props} to="/family/join" />} variant="light">
        {t('join')}
      </Button>
    </Section>
  );
}

function Account() {
  const t = useTexts(texts);
  const profile = useQuery(profileQuery(useSession()));
  return (
    <Section title={t('account')}>
      <QueryView query={profile}>
        {({ nickname, areaCode, phoneNumber }) => (
          <Text>
            {nickname} · {areaCode} {phoneNumber}
          </Text>
        )}
      </QueryView>
      <Stack gap={0}>
        {ACCOUNT_PAGES.map(({ to, text, Icon }) => (
          <NavLink
            key={to}
            h={52}
            renderRoot={(props) => <Link {...props} to={to} />}
            label={t(text)}
            leftSection={<Icon aria-hidden />}
            rightSection={<TbChevronRight size={18} aria-hidden />}
          />
        ))}
      </Stack>
    </Section>
  );
}
