import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** Object identifiers, DER-encoded: ecdsa-with-SHA256 (1.2.840.10045.4.3.2), sha256WithRSAEncryption (1.2.840.113549.1.1.11). */
const ECDSA_WITH_SHA256 = '2a8648ce3d040302';
const RSA_WITH_SHA256 = '2a864886f70d01010b';

const FIRST_DAY = Date.UTC(2025, 0, 1);
const LAST_DAY = Date.UTC(2049, 11, 31);

/** Creates a self-signed certificate and its key, as PEM, for TLS servers of tests. */
export function createSelfSigned(commonName: string): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const cert = createCertificate({ commonName, publicKey, privateKey });
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

/**
 * Creates a self-signed certificate of an EC or RSA key, as PEM.
 * @param options.serial - hexadecimal, beginning with a digit from 1 to 7
 * @param options.validTo - Unix milliseconds
 */
export function createCertificate({
  commonName,
  publicKey,
  privateKey,
  serial = '01',
  validTo = LAST_DAY,
}: {
  commonName: string;
  publicKey: KeyObject;
  privateKey: KeyObject;
  serial?: string;
  validTo?: number;
}): string {
  const isRsa = privateKey.asymmetricKeyType === 'rsa';
  const identifier = derElement(6, Buffer.from(isRsa ? RSA_WITH_SHA256 : ECDSA_WITH_SHA256, 'hex'));
  const algorithm = isRsa ? derSequence(identifier, derElement(5)) : derSequence(identifier);
  // commonName, 2.5.4.3
  const name = derSequence(
    derElement(0x31, derSequence(derElement(6, Buffer.from('550403', 'hex')), derElement(12, Buffer.from(commonName)))),
  );
  const validity = derSequence(derTime(FIRST_DAY), derTime(validTo));
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const body = derSequence(derElement(2, Buffer.from(serial, 'hex')), algorithm, name, validity, name, spki);
  const signature = derElement(3, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]));
  const certificate = derSequence(body, algorithm, signature).toString('base64');
  const lines = certificate.match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** Encodes a time in the years 2000 to 2049, to the second. */
function derTime(time: number): Buffer {
  const digits = new Date(time).toISOString().replace(/\D/g, '').slice(2, 14);
  return derElement(23, Buffer.from(`${digits}Z`));
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
