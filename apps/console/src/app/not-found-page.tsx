import { Button, Center, Stack, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

export function NotFoundPage() {
  const { t } = useTranslation('notFound');
  return (
    <Center mih="100dvh">
      <Stack align="center">
        <Title order={1}>{t('title')}</Title>
        <Button renderRoot={(props) => <Link {...props} to="/" />}>{t('home')}</Button>
      </Stack>
    </Center>
  );
}
