import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '../../core/errors/error-texts.js';
import { useSession } from '../../core/session/use-session.js';
import { useUndo } from '../../ui/use-undo.js';
import type { MessageActions } from './message-menu.js';
import { closePlace, openPlace, recallInHistory } from './queries.js';

/** Where the person has gone in the list by a quote, a search or the button to its end. */
export interface OpenedMessage {
  /** Undefined for the end of the list. */
  readonly messageId?: string;
}

/** What the menus of the messages do. */
export function useMessageActions(conversationId: string, reply: (messageId: string) => void) {
  const session = useSession();
  const queries = useQueryClient();
  const errorText = useErrorText();
  const recalls = useRecalls(conversationId);
  const [opened, setOpened] = useState<OpenedMessage>();
  const open = useMutation({
    mutationFn: (messageId: string) => openPlace(session, { conversationId, messageId }, queries),
    onSuccess: (_, messageId) => setOpened({ messageId }),
    onError: (error) => notifications.show({ message: errorText(error), color: 'orange', role: 'alert' }),
  });
  const latest = useRef<MessageActions>(null);
  latest.current = { reply, recall: recalls.begin, open: open.mutate };
  const actions = useMemo<MessageActions>(
    () => ({
      reply: (id) => latest.current?.reply(id),
      recall: (id) => latest.current?.recall(id),
      open: (id) => latest.current?.open(id),
    }),
    [],
  );
  const showNewest = () => {
    closePlace(conversationId, queries);
    setOpened({});
  };
  return { actions, opened, recalling: recalls.ids, showNewest, forgetOpened: () => setOpened(undefined) };
}

/** Recalls messages unless the person takes it back. */
function useRecalls(conversationId: string) {
  const { t } = useTranslation('conversations');
  const { client } = useSession();
  const queries = useQueryClient();
  const errorText = useErrorText();
  const offerUndo = useUndo();
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const keep = (messageId: string) => setIds((all) => new Set([...all].filter((id) => id !== messageId)));
  const recall = useMutation({
    // Also sent while the page is being closed.
    mutationFn: (messageId: string) =>
      client.rest.POST('/apis/v2/message/recall', { body: { messageId }, keepalive: true }),
    onSuccess: (_, messageId) => {
      recallInHistory(queries, { conversationId, messageId });
      void queries.invalidateQueries({ queryKey: ['conversations', 'list'] });
    },
    onError: (error) => notifications.show({ message: errorText(error), color: 'orange', role: 'alert' }),
    onSettled: (_, __, messageId) => keep(messageId),
  });
  const begin = (messageId: string) => {
    setIds((all) => new Set([...all, messageId]));
    offerUndo({
      message: t('recallBegins'),
      run: () => recall.mutate(messageId),
      onUndo: () => keep(messageId),
    });
  };
  return { ids, begin };
}
