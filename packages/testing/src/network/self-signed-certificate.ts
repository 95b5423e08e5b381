import { generateKeyPairSync, sign } from 'node:crypto';

/** Creates a self-signed certificate and its key, as PEM, for TLS servers of tests. */
export function createSelfSigned(commonName: string): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // ecdsa-with-SHA256, 1.2.840.10045.4.3.2
  const algorithm = derSequence(derElement(6, Buffer.from('2a8648ce3d040302', 'hex')));
  // commonName, 2.5.4.3
  const name = derSequence(
    derElement(0x31, derSequence(derElement(6, Buffer.from('550403', 'hex')), derElement(12, Buffer.from(commonName)))),
  );
  const validity = derSequence(
    derElement(23, Buffer.from('250101000000Z')),
    derElement(23, Buffer.from('491231235959Z')),
  );
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const body = derSequence(derElement(2, Buffer.from([1])), algorithm, name, validity, name, spki);
  const signature = derElement(3, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]));
  const certificate = derSequence(body, algorithm, signature).toString('base64');
  const lines = certificate.match(/.{1,64}/g) ?? [];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function derSequence(...content: Buffer[]): Buffer {
  return derElement(0x30, ...content);
}

/** Encodes tag, length and value in DER (X.690). */
function derElement(tag: number, ...content: Buffer[]): Buffer {
  const value = Buffer.concat(content);
  const longForm = value.length < 0x100 ? [0x81, value.length] : [0x82, value.length >> 8, value.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(value.length < 0x80 ? [value.length] : longForm)]), value]);
}
