import { Button, Stack, Text, Title } from '@mantine/core';
import { lazyRouteComponent } from '@tanstack/react-router';
import { useEffect, useState, type ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import { isAvailable, retryWhileUnavailable } from './lazy-page.js';

/**
 * A page whose code is loaded when it is opened. If the code cannot be loaded, the router reloads the whole page, because
 * the service may have a new version. Without a connection, or while the service rejects requests, that would lose what
 * the person has written, so that the page says so instead and appears when its code can be loaded.
 */
export const lazyPage: typeof lazyRouteComponent = (importPage, name) =>
  lazyRouteComponent(async () => {
    try {
      return await importPage();
    } catch (error) {
      if (await isAvailable()) throw error;
      const key = name ?? 'default';
      return { [key]: unavailablePage(async () => (await importPage())[key]) } as Awaited<
        ReturnType<typeof importPage>
      >;
    }
  }, name);

/** Returns a page that says that its code cannot be loaded, until it can. */
function unavailablePage(importPage: () => Promise<ComponentType>): ComponentType {
  let Page: ComponentType | undefined;
  return function UnavailablePage() {
    const { t } = useTranslation('lazyPage');
    const [attempt, setAttempt] = useState(0);
    const [isLoaded, setLoaded] = useState(Page !== undefined);
    useEffect(() => {
      let isCurrent = true;
      retryWhileUnavailable(importPage, () => isCurrent).then(
        (loaded) => {
          Page = loaded;
          setLoaded(true);
        },
        // The service has a new version.
        () => isCurrent && window.location.reload(),
      );
      return () => void (isCurrent = false);
    }, [attempt]);
    if (Page && isLoaded) return <Page />;
    return (
      <Stack align="start" maw={560} role="alert">
        <Title order={1} size="h2">
          {t('title')}
        </Title>
        <Text>{t('hint')}</Text>
        <Button onClick={() => setAttempt(attempt + 1)}>{t('retry')}</Button>
      </Stack>
    );
  };
}
