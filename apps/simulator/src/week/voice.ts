const SAMPLE_RATE = 16_000;
const HEADER_BYTES = 44;
const BYTES_PER_SAMPLE = 2;
const AMPLITUDE = 0.35 * 32_767;
/** Milliseconds per note. */
const NOTE_MS = 300;

/** A recording of a voice message. */
export interface Recording {
  bytes: Buffer;
  /** Milliseconds. */
  duration: number;
}

/** Returns a hummed melody as a WAV file: one channel of 16-bit PCM. @param notes - semitones above 220 Hz */
export function hum(notes: readonly number[]): Recording {
  const samplesPerNote = (SAMPLE_RATE * NOTE_MS) / 1_000;
  const dataBytes = notes.length * samplesPerNote * BYTES_PER_SAMPLE;
  const bytes = Buffer.alloc(HEADER_BYTES + dataBytes);
  bytes.write('RIFF', 0, 'ascii');
  bytes.writeUInt32LE(HEADER_BYTES - 8 + dataBytes, 4);
  bytes.write('WAVEfmt ', 8, 'ascii');
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(SAMPLE_RATE, 24);
  bytes.writeUInt32LE(SAMPLE_RATE * BYTES_PER_SAMPLE, 28);
  bytes.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  bytes.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  bytes.write('data', 36, 'ascii');
  bytes.writeUInt32LE(dataBytes, 40);
  for (let index = 0; index < notes.length * samplesPerNote; index += 1) {
    const frequency = 220 * 2 ** ((notes[Math.floor(index / samplesPerNote)] ?? 0) / 12);
    const loudness = Math.sin((Math.PI * (index % samplesPerNote)) / samplesPerNote);
    const sample = loudness * Math.sin((2 * Math.PI * frequency * index) / SAMPLE_RATE);
    bytes.writeInt16LE(Math.round(sample * AMPLITUDE), HEADER_BYTES + index * BYTES_PER_SAMPLE);
  }
  return { bytes, duration: notes.length * NOTE_MS };
}
