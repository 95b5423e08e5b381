import { ActionIcon, Group, Stack, Text, TextInput } from '@mantine/core';
import { TbMicrophone, TbSend } from 'react-icons/tb';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { EmojiPicker } from './emoji-picker.js';
import { MediaButtons } from './media-buttons.js';
import { MediaPreview } from './media-preview.js';
import type { Draft, MediaDraft } from './outbox-state.js';
import { useVoiceRecording } from './shared/voice/use-voice-recording.js';
import type { Recording } from './shared/voice/voice-recorder.js';
import { VoiceRecordingBar } from './shared/voice/voice-recording-bar.js';
import { useChosenFiles } from './use-chosen-files.js';
import { MAX_TEXT_LENGTH, type useTextField } from './use-text-field.js';

interface ComposerProps {
  field: ReturnType<typeof useTextField>;
  canSendMedia: boolean;
  /** The message that the next one answers. */
  quote: ReactNode;
  onSend: (draft: Draft) => void;
  onSendFiles: (drafts: readonly MediaDraft[], caption: string) => void;
}

/** The field for a new message, and the buttons for emoji, pictures, videos and voice. */
export function Composer({ field, canSendMedia, quote, onSend, onSendFiles }: ComposerProps) {
  const { t } = useTranslation('conversations');
  const { text } = field;
  const [hasNoMicrophone, setNoMicrophone] = useState(false);
  const chosen = useChosenFiles();
  const recording = useVoiceRecording();
  const record = () => {
    setNoMicrophone(false);
    recording.start().catch(() => setNoMicrophone(true));
  };
  const sendVoice = ({ file, duration }: Recording) => {
    recording.end();
    onSend({ kind: 'ChatVoiceMessage', file, duration, previewUrl: URL.createObjectURL(file) });
  };
  const sendFiles = () => {
    onSendFiles(chosen.take(), text);
    field.change('');
  };
  if (recording.recorder)
    return <VoiceRecordingBar recorder={recording.recorder} onFinish={sendVoice} onCancel={recording.end} />;
  const problem = hasNoMicrophone ? t('noMicrophone') : chosen.problem && t(chosen.problem.reason, chosen.problem);
  return (
    <Stack gap={4}>
      {problem !== undefined && (
        <Text size="sm" role="alert">
          {problem}
        </Text>
      )}
      {quote}
      <MediaPreview
        drafts={chosen.drafts}
        caption={text}
        onCaption={field.change}
        onRemove={chosen.remove}
        onCancel={chosen.clear}
        onSend={sendFiles}
      />
      <Group
        component="form"
        wrap="nowrap"
        gap={4}
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() === '') return;
          onSend({ kind: 'ChatTextMessage', text });
          field.change('');
        }}
      >
        <EmojiPicker onChoose={field.insert} />
        <MediaButtons disabled={!canSendMedia} onChoose={(files) => void chosen.add(files)} />
        <MessageField field={field} />
        {text.trim() === '' ? (
          <ActionIcon variant="filled" aria-label={t('record')} disabled={!canSendMedia} onClick={record}>
            <TbMicrophone aria-hidden />
          </ActionIcon>
        ) : (
          <ActionIcon type="submit" variant="filled" aria-label={t('send')}>
            <TbSend aria-hidden />
          </ActionIcon>
        )}
      </Group>
    </Stack>
  );
}

function MessageField({ field: { ref, text, change } }: Pick<ComposerProps, 'field'>) {
  const { t } = useTranslation('conversations');
  return (
    <TextInput
      ref={ref}
      flex={1}
      aria-label={t('message')}
      placeholder={t('message')}
      maxLength={MAX_TEXT_LENGTH}
      autoComplete="off"
      value={text}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}
