import { ActionIcon, Group, Stack, TextInput, Title } from '@mantine/core';
import { TbArrowLeft, TbSearch, TbX } from 'react-icons/tb';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../core/session/use-session.js';
import { Photo } from '../accounts/photo/photo.js';
import { CallButtons } from './calls/call-buttons.js';
import { MAX_SEARCH_LENGTH } from './message-search.js';
import { OtherSideState } from './other-side-state.js';
import { photoOf, type Conversation } from './queries.js';
import { useConversationName } from './shared/message-text.js';

interface ConversationHeaderProps {
  conversation: Conversation | undefined;
  /** What the person searches; undefined if the messages are shown. */
  search: string | undefined;
  onSearch: (search: string | undefined) => void;
  /** Whether the list of the conversations is beside the conversation. */
  hasList: boolean;
}

/** The name and the state of the other side, with a call and the search, or the field of the search. */
export function ConversationHeader({ conversation, search, onSearch, hasList }: ConversationHeaderProps) {
  const { t } = useTranslation('conversations');
  const { userId } = useSession();
  const nameOf = useConversationName(userId);
  if (search !== undefined) return <SearchField search={search} onSearch={onSearch} />;
  return (
    <Group wrap="nowrap" gap="xs">
      {!hasList && (
        <ActionIcon renderRoot={(props) => <Link {...props} to="/chat" />} aria-label={t('back')}>
          <TbArrowLeft className="mantine-rotate-rtl" aria-hidden />
        </ActionIcon>
      )}
      {conversation && <Photo name={nameOf(conversation)} avatar={photoOf(conversation, userId)} color="initials" />}
      <Stack gap={0} flex={1} miw={0}>
        <Title order={1} size="h3" lineClamp={1}>
          {conversation && nameOf(conversation)}
        </Title>
        {conversation && <OtherSideState conversation={conversation} />}
      </Stack>
      <ActionIcon aria-label={t('search')} title={t('search')} onClick={() => onSearch('')}>
        <TbSearch aria-hidden />
      </ActionIcon>
      {conversation && conversation.type !== 'FRIENDS' && <CallButtons members={conversation.members} />}
    </Group>
  );
}

function SearchField({ search, onSearch }: Pick<ConversationHeaderProps, 'onSearch'> & { search: string }) {
  const { t } = useTranslation('conversations');
  return (
    <Group wrap="nowrap" gap="xs" role="search">
      <TextInput
        type="search"
        flex={1}
        aria-label={t('search')}
        placeholder={t('search')}
        leftSection={<TbSearch aria-hidden />}
        maxLength={MAX_SEARCH_LENGTH}
        autoComplete="off"
        // The person has just opened the search.
        autoFocus
        value={search}
        onChange={({ currentTarget }) => onSearch(currentTarget.value)}
        onKeyDown={({ key }) => key === 'Escape' && onSearch(undefined)}
      />
      <ActionIcon aria-label={t('endSearch')} title={t('endSearch')} onClick={() => onSearch(undefined)}>
        <TbX aria-hidden />
      </ActionIcon>
    </Group>
  );
}
