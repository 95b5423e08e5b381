import type { Schema } from '@family-watch/client';
import { Paper, Stack, Text, UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Photo } from '../../accounts/photo/photo.js';
import { useChildColor } from '../../families/children/child-color.js';
import { RelativeTime } from '../../../ui/relative-time.js';

const OLD_LOCATION_MS = 15 * 60_000;

/** Returns whether a location says little about where the child is now. */
export function isOldLocation({ positionTime }: { positionTime: number }): boolean {
  return Date.now() - positionTime > OLD_LOCATION_MS;
}

interface ChildMarkerProps {
  child: Pick<Schema<'ChildDto'>, 'cid' | 'name' | 'avatar'>;
  location: Schema<'ChildLocationDto'>;
}

/** A child on a map: the name, and how old the location is. */
export function ChildMarker({ child: { cid, name, avatar }, location }: ChildMarkerProps) {
  const isOld = isOldLocation(location);
  const color = useChildColor(cid);
  return (
    <UnstyledButton renderRoot={(props) => <Link {...props} to="/children/$cid" params={{ cid }} />}>
      <Stack align="center" gap={2}>
        <Photo name={name} avatar={avatar} color={isOld ? 'gray.7' : `${color}.9`} variant="filled" size={44} />
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
