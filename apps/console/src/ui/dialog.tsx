import { Modal, type ModalProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** A modal dialog whose close button has a name for screen readers. */
export function Dialog(props: ModalProps) {
  const { t } = useTranslation('dialog');
  return <Modal centered closeButtonProps={{ 'aria-label': t('close'), size: 44 }} {...props} />;
}
