import { ActionIcon, Avatar, Menu, NavLink, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { TbBell, TbLogout, TbShieldLock, TbUserCircle } from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sessionStore } from '../../core/session/session-store.js';
import { useSession } from '../../core/session/use-session.js';
import { LANGUAGES, useLanguage, type Language } from '../../core/texts.js';
import { profileQuery } from './queries.js';

const PAGES = [
  { to: '/family/account', text: 'account', Icon: TbUserCircle },
  { to: '/family/account/notifications', text: 'notifications', Icon: TbBell },
  { to: '/family/account/privacy', text: 'privacy', Icon: TbShieldLock },
] as const;

const COLOR_SCHEMES = ['auto', 'light', 'dark'] as const;

/** The menu of the person: account, language, appearance, and the end of the session. `isWide` shows the name, too. */
export function ProfileMenu({ isWide = false }: { isWide?: boolean }) {
  const { t } = useTranslation('accounts');
  const [language, setLanguage] = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [isOpen, setOpen] = useState(false);
  // A page that shows no name loads none.
  const { data: profile } = useQuery({ ...profileQuery(useSession()), enabled: isWide || isOpen });
  return (
    <Menu
      opened={isOpen}
      onChange={setOpen}
      position={isWide ? 'top-start' : 'bottom-end'}
      width={280}
      shadow="md"
      // axe takes the placeholder for an entry of the menu.
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        {isWide ? (
          <NavLink
            component="button"
            label={profile?.nickname ?? t('yourMenu')}
            leftSection={<Avatar size={36} name={profile?.nickname} color="initials" alt="" />}
          />
        ) : (
          <ActionIcon aria-label={t('yourMenu')} radius="xl">
            <Avatar size={36} alt="" />
          </ActionIcon>
        )}
      </Menu.Target>
      <Menu.Dropdown mah="80dvh" style={{ overflowY: 'auto' }}>
        {profile && (
          <Menu.Label>
            {profile.nickname} · <span dir="ltr">{`${profile.areaCode} ${profile.phoneNumber}`}</span>
          </Menu.Label>
        )}
        {PAGES.map(({ to, text, Icon }) => (
          <Menu.Item
            key={to}
            leftSection={<Icon size={20} aria-hidden />}
            renderRoot={(props) => <Link {...props} to={to} />}
          >
            {t(text)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label>{t('language')}</Menu.Label>
        <Menu.RadioGroup value={language} onChange={(value) => setLanguage(value as Language)}>
          {Object.entries(LANGUAGES).map(([value, name]) => (
            <Menu.RadioItem key={value} value={value} lang={value} closeMenuOnClick>
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Label>{t('colorScheme')}</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(value as MantineColorScheme)}>
          {COLOR_SCHEMES.map((value) => (
            <Menu.RadioItem key={value} value={value} closeMenuOnClick>
              {t(value)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<TbLogout size={20} aria-hidden />} onClick={() => void sessionStore.signOut()}>
          {t('signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
