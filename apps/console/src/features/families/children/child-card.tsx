import type { Schema } from '@family-watch/client';
import { ActionIcon, Anchor, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { TbPencil, TbSettings, TbShoe } from 'react-icons/tb';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Photo } from '../../accounts/photo/photo.js';
import { useChildColor } from './child-color.js';
import { BatteryState, LocationLine, OnlineState } from './child-state.js';

interface ChildCardProps {
  child: Schema<'ChildDto'>;
  watch: Schema<'WatchDto'> | undefined;
  /** Where the child is, in words. */
  place?: ReactNode;
  /** The buttons below the name. */
  actions?: ReactNode;
}

/** The state of one child: the location with its age and source, the watch, and the steps of today. */
export function ChildCard({ child, watch, place, actions }: ChildCardProps) {
  const { t } = useTranslation('children');
  const { cid, name, avatar, device, lastLocation, stepCount } = child;
  const color = useChildColor(cid);
  return (
    <Card component="article" withBorder padding="lg" aria-label={name}>
      <Stack gap="sm">
        <Group wrap="nowrap">
          <Photo name={name} avatar={avatar} color={`${color}.9`} variant="filled" size="lg" />
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
        {actions}
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
            {place}
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
