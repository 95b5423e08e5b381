import { ActionIcon, FileButton, Group, Popover, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { TbMicrophone, TbMoodSmile, TbPaperclip, TbSend } from 'react-icons/tb';
import { useState } from 'react';
import { useTexts } from '../../app/texts.js';
import { EMOJI } from './emoji.js';
import type { EmojiCode } from './emoji.js';
import { mediaDraftOf } from './media-file.js';
import type { Draft } from './outbox-state.js';
import { useVoiceRecording } from './shared/voice/use-voice-recording.js';
import type { Recording } from './shared/voice/voice-recorder.js';
import { VoiceRecordingBar } from './shared/voice/voice-recording-bar.js';
import { texts } from './texts.js';

/** The longest text that the service accepts. */
const MAX_TEXT_LENGTH = 2_000;

interface ComposerProps {
  initialText: string;
  onText: (text: string) => void;
  canSendMedia: boolean;
  onSend: (draft: Draft) => void;
}

/** The field for a new message, and the buttons for emoji, pictures, videos and voice. */
export function Composer({ initialText, onText, canSendMedia, onSend }: ComposerProps) {
  const t = useTexts(texts);
  const [text, setText] = useState(initialText);
  const [isChoosing, setChoosing] = useState(false);
  const [problem, setProblem] = useState<string>();
  const recording = useVoiceRecording();
  const changeText = (value: string) => {
    setText(value);
    onText(value);
  };
  const chooseEmoji = (emoji: EmojiCode) => {
    setChoosing(false);
    onSend({ kind: 'ChatEmojiMessage', emoji });
  };
  const chooseFiles = async (files: File[]) => {
    setProblem(undefined);
    for (const file of files) {
      const draft = await mediaDraftOf(file);
      if (typeof draft === 'string') setProblem(t(draft, { name: file.name }));
      else onSend(draft);
    }
  };
  const record = async () => {
    setProblem(undefined);
    try {
      await recording.start();
    } catch {
      setProblem(t('noMicrophone'));
    }
  };
  const sendVoice = ({ file, duration }: Recording) => {
    recording.end();
    onSend({ kind: 'ChatVoiceMessage', file, duration, previewUrl: URL.createObjectURL(file) });
  };
  if (recording.recorder)
    return <VoiceRecordingBar recorder={recording.recorder} onFinish={sendVoice} onCancel={recording.end} />;
  return (
    <Stack gap={4}>
      {problem !== undefined && (
        <Text size="sm" role="alert">
          {problem}
        </Text>
      )}
      <Group
        component="form"
        wrap="nowrap"
        gap={4}
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() === '') return;
          onSend({ kind: 'ChatTextMessage', text });
          changeText('');
        }}
      >
        <Popover opened={isChoosing} onChange={setChoosing} trapFocus>
          <Popover.Target>
            <ActionIcon aria-label={t('chooseEmoji')} onClick={() => setChoosing(!isChoosing)}>
              <TbMoodSmile aria-hidden />
            </ActionIcon>
          </Popover.Target>
          <Popover.Dropdown>
            <SimpleGrid cols={5} spacing={4}>
              {(Object.keys(EMOJI) as EmojiCode[]).map((emoji) => (
                <ActionIcon key={emoji} onClick={() => chooseEmoji(emoji)}>
                  {EMOJI[emoji]}
                </ActionIcon>
              ))}
            </SimpleGrid>
          </Popover.Dropdown>
        </Popover>
        <FileButton multiple accept="image/*,video/*" onChange={(files) => void chooseFiles(files)}>
          {(props) => (
            <ActionIcon {...props} aria-label={t('attach')} disabled={!canSendMedia}>
              <TbPaperclip aria-hidden />
            </ActionIcon>
          )}
        </FileButton>
        <TextInput
          flex={1}
          aria-label={t('message')}
          placeholder={t('message')}
          maxLength={MAX_TEXT_LENGTH}
          autoComplete="off"
          value={text}
          onChange={({ currentTarget }) => changeText(currentTarget.value)}
        />
        {text.trim() === '' ? (
          <ActionIcon variant="filled" aria-label={t('record')} disabled={!canSendMedia} onClick={() => void record()}>
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
