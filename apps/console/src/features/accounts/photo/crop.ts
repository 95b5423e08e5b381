/** Part of a picture, in its pixels. */
export interface CropArea {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Edge of a stored photo. Pixels. */
const PHOTO_SIZE = 512;
const JPEG_QUALITY = 0.85;

/**
 * Returns a square part of a picture as a JPEG of 512 pixels, or fewer if the part has fewer. It has none of the metadata
 * of the picture, such as where it was taken.
 * @throws Error if the browser cannot read the picture
 */
export async function cropToPhoto(url: string, { x, y, width, height }: CropArea): Promise<File> {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = Math.max(1, Math.min(PHOTO_SIZE, Math.round(width)));
  const context = canvas.getContext('2d');
  if (!context) throw new Error('The browser has no canvas');
  // Pictures with transparent parts get a white ground.
  context.fillStyle = 'white';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, x, y, width, height, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', JPEG_QUALITY));
  if (!blob) throw new Error('The browser cannot write the picture');
  return new File([blob], `photo-${crypto.randomUUID()}.jpg`, { type: 'image/jpeg' });
}
