import { ActionIcon, FileButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { TbCamera, TbPaperclip } from 'react-icons/tb';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';

interface MediaButtonsProps {
  disabled: boolean;
  onChoose: (files: File[]) => void;
}

/** Buttons to choose pictures and videos and, on a phone, to take a photo. */
export function MediaButtons({ disabled, onChoose }: MediaButtonsProps) {
  const { t } = useTranslation('conversations');
  const isPhone = useMediaQuery('(pointer: coarse)', undefined, { getInitialValueInEffect: false });
  // Without it, the same file could not be chosen again.
  const reset = useRef<() => void>(null);
  const choose = (files: File[]) => {
    onChoose(files);
    reset.current?.();
  };
  return (
    <>
      <FileButton multiple accept="image/*,video/*" resetRef={reset} onChange={choose}>
        {(props) => (
          <ActionIcon {...props} aria-label={t('attach')} disabled={disabled}>
            <TbPaperclip aria-hidden />
          </ActionIcon>
        )}
      </FileButton>
      {isPhone && (
        <FileButton accept="image/*" capture="environment" onChange={(file) => file && onChoose([file])}>
          {(props) => (
            <ActionIcon {...props} aria-label={t('takePhoto')} disabled={disabled}>
              <TbCamera aria-hidden />
            </ActionIcon>
          )}
        </FileButton>
      )}
    </>
  );
}
