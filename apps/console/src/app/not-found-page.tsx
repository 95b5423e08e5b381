import { Button, Center, Stack, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { defineTexts, useTexts } from './texts.js';

const texts = defineTexts('not-found', {
  en: { title: 'There is no such page', home: 'To the children' },
  'zh-CN': { title: '页面不存在', home: '返回首页' },
});

export function NotFoundPage() {
  const t = useTexts(texts);
  return (
    <Center mih="100dvh">
      <Stack align="center">
        <Title order={1}>{t('title')}</Title>
        <Button renderRoot={(props) => <Link {...props} to="/" />}>{t('home')}</Button>
      </Stack>
    </Center>
  );
}
