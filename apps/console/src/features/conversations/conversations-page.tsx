import { Center, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useIsWide } from '../../ui/use-is-wide.js';
import { ConversationList } from './conversation-list.js';

/** The list of the conversations; beside it, while none is open, what to do. */
export function ConversationsPage() {
  const { t } = useTranslation('conversations');
  if (!useIsWide()) return <ConversationList />;
  return (
    <Center flex={1}>
      <Text c="dimmed">{t('chooseConversation')}</Text>
    </Center>
  );
}
