/** Media types that a browser displays and never executes. */
const PASSIVE_TYPES =
  /^(image\/(jpeg|png|gif|webp|avif|heic|heif|bmp|tiff)|audio\/[\w.+-]+|video\/[\w.+-]+|application\/pdf)$/;

/** Returns the media type that a file is served as; types that could contain scripts become octet-stream. */
export function servedType(mediaType: string): string {
  return PASSIVE_TYPES.test(mediaType) ? mediaType : 'application/octet-stream';
}
