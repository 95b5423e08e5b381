/** Types that a browser shows and never runs. */
const HARMLESS =
  /^(image\/(jpeg|png|gif|webp|avif|heic|heif|bmp|tiff)|audio\/[\w.+-]+|video\/[\w.+-]+|application\/pdf)$/;

/** The media type that a stored file is served as: what could hold script is only bytes. */
export function servedType(mediaType: string): string {
  return HARMLESS.test(mediaType) ? mediaType : 'application/octet-stream';
}
