import { Button, Card, SegmentedControl, Select, Stack, Text, Title, useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { sessionStore } from '../../app/session/session-store.js';
import { useSession } from '../../app/session/use-session.js';
import { useLanguage, useTexts } from '../../app/texts.js';
import type { Language } from '../../app/texts.js';
import { QueryView } from '../../ui/query-view.js';
import { profileQuery } from './queries.js';
import { texts } from './texts.js';

const LANGUAGE_NAMES = [
  { value: 'en', label: 'English' },
  { value: 'zh-CN', label: '简体中文' },
];

/** The person's account and the settings of this page. */
export function FamilyPage() {
  const t = useTexts(texts);
  const session = useSession();
  const profile = useQuery(profileQuery(session));
  const [language, setLanguage] = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Stack maw={720}>
      <Title order={1}>{t('title')}</Title>
      <Card component="section" withBorder aria-label={t('account')}>
        <Stack>
          <Title order={2} size="h3">
            {t('account')}
          </Title>
          <QueryView query={profile}>
            {({ nickname, areaCode, phoneNumber }) => (
              <Text>
                {nickname} · {areaCode} {phoneNumber}
              </Text>
            )}
          </QueryView>
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
            onChange={setColorScheme}
          />
          <Button variant="light" onClick={() => void sessionStore.signOut()}>
            {t('signOut')}
          </Button>
        </Stack>
      </Card>
    </Stack>
  );
}
