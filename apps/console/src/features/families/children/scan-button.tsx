import { Alert, Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { TbQrcode } from 'react-icons/tb';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../../ui/dialog.js';

/** The Shape Detection API, which not all browsers have. */
interface QrDetector {
  detect(source: HTMLVideoElement): Promise<{ rawValue: string }[]>;
}

declare global {
  interface Window {
    BarcodeDetector?: new (options: { formats: string[] }) => QrDetector;
  }
}

const SCAN_INTERVAL_MS = 250;

/** Reads a QR code with the camera. Shows nothing in browsers that cannot: the code is then typed. */
export function ScanButton({ onScanned }: { onScanned: (text: string) => void }) {
  const { t } = useTranslation('children');
  const [isOpen, { open, close }] = useDisclosure(false);
  // Without a secure context there are no media devices.
  if (!window.BarcodeDetector || !('mediaDevices' in navigator)) return null;
  const finish = (text: string) => {
    close();
    onScanned(text);
  };
  return (
    <>
      <Button variant="light" leftSection={<TbQrcode aria-hidden />} onClick={open}>
        {t('scan')}
      </Button>
      <Dialog opened={isOpen} onClose={close} title={t('scan')}>
        <Scanner onScanned={finish} />
      </Dialog>
    </>
  );
}

function Scanner({ onScanned }: { onScanned: (text: string) => void }) {
  const { t } = useTranslation('children');
  const video = useRef<HTMLVideoElement>(null);
  const [hasFailed, setFailed] = useState(false);
  const report = useRef(onScanned);
  report.current = onScanned;
  useEffect(() => {
    const stop = new AbortController();
    scan(video.current, stop.signal).then(
      (text) => !stop.signal.aborted && text !== undefined && report.current(text),
      () => !stop.signal.aborted && setFailed(true),
    );
    return () => stop.abort();
  }, []);
  return (
    <Stack>
      <Text>{t('scanHint')}</Text>
      {hasFailed ? (
        <Alert color="orange" variant="light" role="alert">
          {t('noCamera')}
        </Alert>
      ) : (
        <video ref={video} muted playsInline style={{ width: '100%' }} aria-label={t('camera')} />
      )}
    </Stack>
  );
}

/** Returns the text of the first QR code that the camera sees, or undefined when stopped. */
async function scan(video: HTMLVideoElement | null, signal: AbortSignal): Promise<string | undefined> {
  if (!video || !window.BarcodeDetector) return undefined;
  const detector = new window.BarcodeDetector({ formats: ['qr_code'] });
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
  try {
    video.srcObject = stream;
    if (!signal.aborted) await video.play();
    while (!signal.aborted) {
      const [found] = await detector.detect(video);
      if (found) return found.rawValue;
      await new Promise((resolve) => setTimeout(resolve, SCAN_INTERVAL_MS));
    }
    return undefined;
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}
