import 'react-easy-crop/react-easy-crop.css';
import { Alert, Box, Button, Group, Slider, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import Cropper from 'react-easy-crop';
import { useTranslation } from 'react-i18next';
import { uploadFile } from '../../../core/family-cloud/upload.js';
import { useSession } from '../../../core/session/use-session.js';
import { Dialog } from '../../../ui/dialog.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { cropToPhoto, type CropArea } from './crop.js';
import { photoReferenceOf } from './photo-reference.js';

const MAX_ZOOM = 4;
/** Pixels by which an arrow key moves the picture. */
const KEYBOARD_STEP = 8;

interface CropDialogProps {
  /** The chosen picture. */
  picture: File;
  cloudID: string;
  /** Stores the reference of the uploaded photo. */
  onUploaded: (reference: string) => Promise<unknown>;
  onClose: () => void;
}

/** Crops a picture to a square and uploads it to the family cloud. */
export default function CropDialog({ picture, cloudID, onUploaded, onClose }: CropDialogProps) {
  const { t } = useTranslation('photo');
  const { client } = useSession();
  const url = useObjectUrl(picture);
  const [crop, setCrop] = useState({ x: 0, y: 0 });
  const [zoom, setZoom] = useState(1);
  const [area, setArea] = useState<CropArea>();
  const [isUnreadable, setUnreadable] = useState(false);
  const save = useMutation({
    mutationFn: async (chosen: CropArea) => {
      const photo = await cropToPhoto(url ?? '', chosen);
      const { signal } = new AbortController();
      const contentID = await uploadFile(client, cloudID, photo, { signal, onProgress: () => undefined });
      await onUploaded(photoReferenceOf({ cloudID, contentID }));
    },
    onSuccess: onClose,
  });
  return (
    <Dialog opened onClose={onClose} title={t('title')}>
      <Stack>
        {isUnreadable ? (
          <Alert color="orange" variant="light" role="alert">
            {t('unreadable')}
          </Alert>
        ) : (
          <>
            <Text size="sm" c="dimmed">
              {t('cropHint')}
            </Text>
            <Box pos="relative" h={300}>
              {url !== undefined && (
                <Cropper
                  image={url}
                  crop={crop}
                  zoom={zoom}
                  aspect={1}
                  cropShape="round"
                  showGrid={false}
                  minZoom={1}
                  maxZoom={MAX_ZOOM}
                  keyboardStep={KEYBOARD_STEP}
                  cropperProps={{ 'aria-label': t('area'), role: 'application' }}
                  mediaProps={{ alt: '', onError: () => setUnreadable(true) }}
                  disableAutomaticStylesInjection
                  onCropChange={setCrop}
                  onZoomChange={setZoom}
                  onCropComplete={(_, pixels) => setArea(pixels)}
                />
              )}
            </Box>
            <Slider
              size="lg"
              thumbSize={28}
              thumbLabel={t('zoom')}
              label={null}
              min={1}
              max={MAX_ZOOM}
              step={0.1}
              value={zoom}
              onChange={setZoom}
            />
          </>
        )}
        <ErrorAlert error={save.error} />
        <Group justify="end">
          <Button variant="subtle" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button disabled={!area || isUnreadable} loading={save.isPending} onClick={() => area && save.mutate(area)}>
            {t('save')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function useObjectUrl(file: File): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const created = URL.createObjectURL(file);
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [file]);
  return url;
}
