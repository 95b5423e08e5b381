import { Modal } from '@mantine/core';
import type { ModalProps } from '@mantine/core';
import { defineTexts, useTexts } from '../app/texts.js';

const texts = defineTexts('dialog', { en: { close: 'Close' }, 'zh-CN': { close: '关闭' } });

/** A modal dialog whose close button has a name for screen readers. */
export function Dialog(props: ModalProps) {
  const t = useTexts(texts);
  return <Modal centered closeButtonProps={{ 'aria-label': t('close'), size: 44 }} {...props} />;
}
