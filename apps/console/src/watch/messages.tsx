import { ActionIcon, Box, Group, ScrollArea, Stack, Text, TextInput } from '@mantine/core';
import { TbMicrophone, TbSend } from 'react-icons/tb';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../core/texts.js';
import { MessageContent } from '../features/conversations/shared/message-content.js';
import { useVoiceRecording } from '../features/conversations/shared/voice/use-voice-recording.js';
import type { Recording } from '../features/conversations/shared/voice/voice-recorder.js';
import { VoiceRecordingBar } from '../features/conversations/shared/voice/voice-recording-bar.js';
import { uploadFile } from '../core/family-cloud/upload.js';
import { ErrorAlert } from '../ui/error-alert.js';
import { formatTime } from '../ui/format.js';
import type { EnrolledWatch } from './watch-identity.js';

/** Pixels of the box that contains a picture. */
const MAX_MEDIA_SIZE = { width: 160, height: 110 };

const CLOUD_INTERVAL_MS = 2_000;

/** A text that was typed, or a voice message that was recorded. */
type Draft = { text: string } | Recording;

/** The direct conversation with the parent. */
export function Messages({ watch, cid }: { watch: EnrolledWatch; cid: string }) {
  const { t } = useTranslation('watch');
  const { t: tChat } = useTranslation('conversations');
  const [language] = useLanguage();
  const { client, gateway, did } = watch;
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const recording = useVoiceRecording();
  const [hasNoMicrophone, setNoMicrophone] = useState(false);
  const viewport = useRef<HTMLDivElement>(null);
  const queryKey = ['watch-messages', did];
  const { data, error } = useQuery({
    queryKey,
    queryFn: async () => {
      const { items } = await client.messages.listConversations();
      const direct = items.find(({ type }) => type === 'DIRECT');
      if (!direct) return undefined;
      const { conversationId, members } = direct;
      const history = await client.messages.getHistory({ conversationId });
      return { conversationId, members, messages: history.items.toReversed() };
    },
  });
  const { data: cloudID } = useQuery({
    queryKey: ['watch-cloud', did, cid],
    queryFn: async () => (await client.familyCloud.queryFamilyCloud({})).familyCloudList[0]?.cloudID ?? null,
    // The family cloud opens to the watch a moment after the binding.
    refetchInterval: ({ state }) => (state.data ? false : CLOUD_INTERVAL_MS),
  });
  useEffect(
    () => gateway.onMessage('message', () => queries.invalidateQueries({ queryKey: ['watch-messages', did] })),
    [gateway, queries, did],
  );
  useEffect(() => {
    viewport.current?.scrollTo({ top: viewport.current.scrollHeight });
  }, [data]);
  const send = useMutation({
    mutationFn: async ({ conversationId, draft }: { conversationId: string; draft: Draft }) => {
      const target = { conversationId, clientMsgId: crypto.randomUUID() };
      if ('text' in draft) return client.messages.send({ kind: 'ChatTextMessage', ...target, text: draft.text });
      const { signal } = new AbortController();
      const contentID = await uploadFile(client, cloudID ?? '', draft.file, { signal, onProgress: () => undefined });
      return client.messages.send({ kind: 'ChatVoiceMessage', ...target, contentID, duration: draft.duration });
    },
    onSuccess: async (_, { draft }) => {
      if ('text' in draft) setText('');
      await queries.invalidateQueries({ queryKey });
    },
  });
  const sendDraft = (draft: Draft) => data && send.mutate({ conversationId: data.conversationId, draft });
  const record = () => {
    setNoMicrophone(false);
    recording.start().catch(() => setNoMicrophone(true));
  };
  return (
    <>
      <ScrollArea h={120} type="auto" viewportRef={viewport}>
        <Stack gap={2} role="log" aria-label={t('messages')}>
          {data?.messages.length ? (
            data.messages.map((message) => (
              <Box key={message.id} style={{ alignSelf: message.cid === cid ? 'end' : 'start' }}>
                <Text size="xs" c="dimmed" ta={message.cid === cid ? 'end' : 'start'}>
                  {message.cid !== cid &&
                    `${data.members.find(({ userId }) => userId === message.from.id)?.name ?? t('family')} · `}
                  {formatTime(message.time, language)}
                </Text>
                <MessageContent
                  session={watch}
                  message={message}
                  cloudID={cloudID ?? undefined}
                  textSize="sm"
                  maxSize={MAX_MEDIA_SIZE}
                />
              </Box>
            ))
          ) : (
            <Text size="sm" c="dimmed">
              {t('noMessages')}
            </Text>
          )}
        </Stack>
      </ScrollArea>
      {recording.recorder ? (
        <VoiceRecordingBar
          recorder={recording.recorder}
          onFinish={(recorded) => {
            recording.end();
            sendDraft(recorded);
          }}
          onCancel={recording.end}
        />
      ) : (
        <Group
          component="form"
          wrap="nowrap"
          gap={4}
          onSubmit={(event) => {
            event.preventDefault();
            if (text.trim() !== '') sendDraft({ text });
          }}
        >
          <TextInput
            flex={1}
            aria-label={t('write')}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          {text.trim() === '' ? (
            <ActionIcon
              variant="filled"
              aria-label={tChat('record')}
              loading={send.isPending}
              disabled={!data || typeof cloudID !== 'string'}
              onClick={record}
            >
              <TbMicrophone aria-hidden />
            </ActionIcon>
          ) : (
            <ActionIcon type="submit" variant="filled" aria-label={t('send')} loading={send.isPending} disabled={!data}>
              <TbSend aria-hidden />
            </ActionIcon>
          )}
        </Group>
      )}
      {hasNoMicrophone && (
        <Text size="xs" role="alert">
          {tChat('noMicrophone')}
        </Text>
      )}
      <ErrorAlert error={error ?? send.error} />
    </>
  );
}
