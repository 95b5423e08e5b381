import { Box, Group } from '@mantine/core';
import { Outlet, useParams } from '@tanstack/react-router';
import { useIsWide } from '../../ui/use-is-wide.js';
import { ConversationList } from './conversation-list.js';

const LIST_WIDTH = 360;

/** On a laptop, the list of the conversations at the left and one of them at the right; on a phone, one of the two. */
export function ChatPanes() {
  const hasPanes = useIsWide();
  const { conversationId } = useParams({ strict: false });
  if (!hasPanes) return <Outlet />;
  return (
    <Group flex={1} wrap="nowrap" align="stretch" gap="md" mih={0}>
      <Box w={LIST_WIDTH} pos="relative" style={{ flexShrink: 0 }}>
        {/* Each of the two scrolls alone. */}
        <Box pos="absolute" inset={0} style={{ overflowY: 'auto' }}>
          <ConversationList openId={conversationId} />
        </Box>
      </Box>
      <Box flex={1} miw={0} display="flex" style={{ flexDirection: 'column' }}>
        <Outlet />
      </Box>
    </Group>
  );
}
