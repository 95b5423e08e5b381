import type { Schema } from '@family-watch/client';
import { ActionIcon, Anchor, Avatar, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { TbPencil, TbSettings, TbShoe } from 'react-icons/tb';
import { Link } from '@tanstack/react-router';
import { useTexts } from '../../app/texts.js';
import { BatteryState, LocationLine, OnlineState } from './child-state.js';
import { texts } from './texts.js';

/** The state of one child: the location with its age and source, the watch, and the steps of today. */
export function ChildCard({ child, watch }: { child: Schema<'ChildDto'>; watch: Schema<'WatchDto'> | undefined }) {
  const t = useTexts(texts);
  const { cid, name, device, lastLocation, stepCount } = child;
  return (
    <Card component="article" withBorder padding="lg" aria-label={name}>
      <Stack gap="sm">
        <Group wrap="nowrap">
          <Avatar name={name} color="initials" size="lg" aria-hidden />
          <Stack gap={0} flex={1}>
            <Title order={2} size="h3">
              <Anchor
                renderRoot={(props) => <Link {...props} to="/children/$cid" params={{ cid }} />}
                inherit
                display="block"
                py={8}
              >
                {name}
              </Anchor>
            </Title>
            {watch && <OnlineState watch={watch} />}
          </Stack>
          <ActionIcon
            aria-label={t('editChild', { name })}
            renderRoot={(props) => <Link {...props} to="/children/$cid/edit" params={{ cid }} />}
          >
            <TbPencil aria-hidden />
          </ActionIcon>
          {device !== null && (
            <ActionIcon
              renderRoot={(props) => <Link {...props} to="/children/$cid/settings" params={{ cid }} />}
              aria-label={t('settings', { name })}
            >
              <TbSettings aria-hidden />
            </ActionIcon>
          )}
        </Group>
        {device === null ? (
          <Group justify="space-between">
            <Text c="dimmed">{t('noWatch')}</Text>
            <Button
              renderRoot={(props) => <Link {...props} to="/children/$cid/bind" params={{ cid }} />}
              variant="light"
            >
              {t('bind')}
            </Button>
          </Group>
        ) : (
          <>
            <LocationLine location={lastLocation} />
            <Group gap="xl" style={{ rowGap: 4 }}>
              {watch && <BatteryState watch={watch} />}
              <Group gap={4}>
                <TbShoe aria-hidden />
                <Text>{t('steps', { count: stepCount })}</Text>
              </Group>
            </Group>
          </>
        )}
      </Stack>
    </Card>
  );
}
