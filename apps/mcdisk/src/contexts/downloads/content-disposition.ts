/**
 * Content-Disposition of a download (RFC 6266): a plain name for old clients and the real one in RFC 8187 coding.
 * Always an attachment: what a family stores is never run as a page of this site.
 */
export function contentDisposition(name: string): string {
  const plain = name.replace(/[^\u0020-\u007e]|["%\\]/gu, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encode(name)}`;
}

/** `attr-char` of RFC 8187; encodeURIComponent leaves five characters that are none. */
function encode(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
