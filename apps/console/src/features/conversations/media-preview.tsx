import { ActionIcon, Box, Button, Group, Image, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { TbSend, TbX } from 'react-icons/tb';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../ui/dialog.js';
import type { MediaDraft } from './outbox-state.js';
import { MAX_TEXT_LENGTH } from './use-text-field.js';

/** Pixels. */
const HEIGHT = { alone: 320, many: 140 };

interface MediaPreviewProps {
  drafts: readonly MediaDraft[];
  caption: string;
  onCaption: (caption: string) => void;
  onRemove: (draft: MediaDraft) => void;
  onCancel: () => void;
  onSend: () => void;
}

/** The pictures and videos that the person has chosen, before they are sent with an optional caption. */
export function MediaPreview({ drafts, caption, onCaption, onRemove, onCancel, onSend }: MediaPreviewProps) {
  const { t } = useTranslation('conversations');
  const isAlone = drafts.length === 1;
  return (
    <Dialog opened={drafts.length > 0} onClose={onCancel} title={t('preview', { count: drafts.length })}>
      <Stack
        component="form"
        onSubmit={(event) => {
          event.preventDefault();
          onSend();
        }}
      >
        <SimpleGrid cols={isAlone ? 1 : { base: 2, xs: 3 }} spacing="xs" component="ul" p={0} m={0}>
          {drafts.map((draft) => (
            <Box key={draft.previewUrl} component="li" pos="relative" style={{ listStyle: 'none' }}>
              <Picture draft={draft} height={isAlone ? HEIGHT.alone : HEIGHT.many} />
              {!isAlone && (
                <ActionIcon
                  variant="default"
                  radius="xl"
                  pos="absolute"
                  top={4}
                  right={4}
                  aria-label={t('removeFile', { name: draft.file.name })}
                  onClick={() => onRemove(draft)}
                >
                  <TbX aria-hidden />
                </ActionIcon>
              )}
            </Box>
          ))}
        </SimpleGrid>
        <TextInput
          label={t('caption')}
          maxLength={MAX_TEXT_LENGTH}
          autoComplete="off"
          data-autofocus
          value={caption}
          onChange={({ currentTarget }) => onCaption(currentTarget.value)}
        />
        <Group justify="end">
          <Button variant="subtle" onClick={onCancel}>
            {t('cancel')}
          </Button>
          <Button type="submit" leftSection={<TbSend aria-hidden />}>
            {t('sendFiles', { count: drafts.length })}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function Picture({ draft: { kind, previewUrl, file }, height }: { draft: MediaDraft; height: number }) {
  if (kind === 'ChatVideoMessage')
    return (
      <Box
        component="video"
        src={previewUrl}
        controls
        playsInline
        preload="metadata"
        aria-label={file.name}
        h={height}
        w="100%"
      />
    );
  return <Image src={previewUrl} h={height} fit="contain" alt={file.name} bg="var(--mantine-color-default-hover)" />;
}
