import { Avatar, Paper, Stack, Text } from '@mantine/core';
import { TbUser } from 'react-icons/tb';

/** A moment of a track on a map. */
export function TrackMarker({ text }: { text?: string }) {
  return (
    <Stack align="center" gap={2} aria-hidden>
      <Avatar color="teal" variant="filled" size={44}>
        <TbUser />
      </Avatar>
      {text !== undefined && (
        <Paper px={6} shadow="xs" radius="sm">
          <Text size="sm" fw={600}>
            {text}
          </Text>
        </Paper>
      )}
    </Stack>
  );
}
