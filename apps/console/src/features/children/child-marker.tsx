import type { Schema } from '@family-watch/client';
import { Avatar, Paper, Stack, Text, UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { RelativeTime } from '../../ui/relative-time.js';

const OLD_LOCATION_MS = 15 * 60_000;

/** Returns whether a location says little about where the child is now. */
export function isOldLocation({ positionTime }: { positionTime: number }): boolean {
  return Date.now() - positionTime > OLD_LOCATION_MS;
}

/** A child on a map: the name, and how old the location is. */
export function ChildMarker({
  cid,
  name,
  location,
}: {
  cid: string;
  name: string;
  location: Schema<'ChildLocationDto'>;
}) {
  const isOld = isOldLocation(location);
  return (
    <UnstyledButton renderRoot={(props) => <Link {...props} to="/children/$cid" params={{ cid }} />}>
      <Stack align="center" gap={2}>
        <Avatar name={name} color={isOld ? 'gray.7' : 'teal'} variant="filled" size={44} aria-hidden />
        <Paper px={6} shadow="xs" radius="sm" ta="center">
          <Text size="sm" fw={600} lh={1.3}>
            {name}
          </Text>
          <Text size="xs" c="dimmed" lh={1.3}>
            <RelativeTime time={location.positionTime} />
          </Text>
        </Paper>
      </Stack>
    </UnstyledButton>
  );
}
