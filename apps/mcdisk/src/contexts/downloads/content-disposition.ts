/**
 * Returns the Content-Disposition of a download (RFC 6266): an ASCII name for old clients and the real name in RFC 8187
 * encoding. The disposition is always `attachment`, so that stored files are never executed as a page of this site.
 */
export function contentDisposition(name: string): string {
  const asciiName = name.replace(/[^\u0020-\u007e]|["%\\]/gu, '_');
  return `attachment; filename="${asciiName}"; filename*=UTF-8''${encode(name)}`;
}

/**
 * Encodes all characters that are not `attr-char` of RFC 8187, including five that encodeURIComponent does not encode.
 */
function encode(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
