import { Button, Card, Group, Title } from '@mantine/core';
import { TbMessageCircle } from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../core/session/use-session.js';
import { Photo } from '../accounts/photo/photo.js';
import { childrenQuery } from '../families/queries.js';
import { CallButtons } from './calls/call-buttons.js';
import { conversationsQuery, photoOf } from './queries.js';
import { useConversationName } from './shared/message-text.js';

/**
 * The children of families in which the person is a contact, with chat and call. The person knows them only from the
 * conversations, because the service tells a contact nothing else about a child.
 */
export function ContactChildren() {
  const { t } = useTranslation('conversations');
  const session = useSession();
  const children = useQuery(childrenQuery(session));
  const conversations = useQuery(conversationsQuery(session));
  const nameOf = useConversationName(session.userId);
  if (!children.data || !conversations.data) return null;
  const visible = new Set(children.data.childList.map(({ cid }) => cid));
  const direct = conversations.data.items.filter(
    ({ type, members }) => type === 'DIRECT' && members.every(({ cid }) => cid === null || !visible.has(cid)),
  );
  return direct.map((conversation) => {
    const { conversationId, members } = conversation;
    const name = nameOf(conversation);
    return (
      <Card key={conversationId} component="article" withBorder padding="lg" aria-label={name}>
        <Group wrap="nowrap">
          <Photo name={name} avatar={photoOf(conversation, session.userId)} color="initials" size="lg" />
          <Title order={2} size="h3" flex={1}>
            {name}
          </Title>
          <Button
            renderRoot={(props) => <Link {...props} to="/chat/$conversationId" params={{ conversationId }} />}
            variant="light"
            leftSection={<TbMessageCircle aria-hidden />}
          >
            {t('chat')}
          </Button>
          <CallButtons members={members} />
        </Group>
      </Card>
    );
  });
}
