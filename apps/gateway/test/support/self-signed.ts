import { generateKeyPairSync, sign } from 'node:crypto';

/** Creates a self-signed certificate and its key, as PEM, for TLS servers of tests. */
export function selfSigned(commonName: string): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // ecdsa-with-SHA256, 1.2.840.10045.4.3.2
  const algorithm = sequence(tlv(6, Buffer.from('2a8648ce3d040302', 'hex')));
  // commonName, 2.5.4.3
  const name = sequence(tlv(0x31, sequence(tlv(6, Buffer.from('550403', 'hex')), tlv(12, Buffer.from(commonName)))));
  const validity = sequence(tlv(23, Buffer.from('250101000000Z')), tlv(23, Buffer.from('491231235959Z')));
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const body = sequence(tlv(2, Buffer.from([1])), algorithm, name, validity, name, spki);
  const signature = tlv(3, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]));
  const certificate = sequence(body, algorithm, signature).toString('base64');
  const lines = certificate.match(/.{1,64}/g) ?? [];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function sequence(...parts: Buffer[]): Buffer {
  return tlv(0x30, ...parts);
}

/** Encodes tag, length and value in DER (X.690). */
function tlv(tag: number, ...parts: Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  const long = value.length < 0x100 ? [0x81, value.length] : [0x82, value.length >> 8, value.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(value.length < 0x80 ? [value.length] : long)]), value]);
}
