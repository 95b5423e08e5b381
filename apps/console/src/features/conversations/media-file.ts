import type { MediaDraft } from './outbox-state.js';

/** The longest video that the service accepts as a message. */
const MAX_VIDEO_MS = 5 * 60_000;

/** Why a file cannot be sent. */
export type MediaProblem = 'unreadable' | 'tooLong';

/** Measures a picture or video that the person has chosen, as the message needs it. */
export async function mediaDraftOf(file: File): Promise<MediaDraft | MediaProblem> {
  const previewUrl = URL.createObjectURL(file);
  try {
    if (!file.type.startsWith('video/'))
      return { kind: 'ChatImageMessage', file, previewUrl, ...(await imageSize(previewUrl)) };
    const { width, height, duration } = await videoSize(previewUrl);
    if (duration <= MAX_VIDEO_MS) return { kind: 'ChatVideoMessage', file, previewUrl, width, height, duration };
    URL.revokeObjectURL(previewUrl);
    return 'tooLong';
  } catch {
    URL.revokeObjectURL(previewUrl);
    return 'unreadable';
  }
}

async function imageSize(url: string): Promise<{ width: number; height: number }> {
  const image = new Image();
  image.src = url;
  await image.decode();
  return { width: image.naturalWidth, height: image.naturalHeight };
}

function videoSize(url: string): Promise<{ width: number; height: number; duration: number }> {
  return new Promise((resolve, reject) => {
    const video = document.createElement('video');
    video.preload = 'metadata';
    video.onloadedmetadata = () => {
      const { videoWidth: width, videoHeight: height, duration } = video;
      // A recording of a browser may not say how long it is.
      const milliseconds = Number.isFinite(duration) ? Math.max(1, Math.round(duration * 1_000)) : 1;
      if (width > 0 && height > 0) resolve({ width, height, duration: milliseconds });
      else reject(new Error('No picture'));
    };
    video.onerror = () => reject(new Error('Unreadable'));
    video.src = url;
  });
}
