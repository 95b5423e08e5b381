import { addAbortSignal, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile, type Options } from 'yazl';
import type { ExportPage, ExportProgress } from '@family-watch/domain/privacy/contracts/data-export';

/** Largest entry whose size has 32 bits. */
const MAX_ZIP32_SIZE = 0xff_ff_ff_fe;

/** Reads the next page of a JSON file; `null` if the person may not read it any more. */
type ReadPage = (cursor: string) => Promise<ExportPage | null>;

/**
 * Writes a ZIP archive entry by entry. Each entry is written completely before the next one, so that the memory does not
 * depend on the size of the archive.
 */
export class ArchiveWriter {
  readonly progress: ExportProgress = { records: 0, files: 0, bytes: 0 };
  private readonly zip = new ZipFile();

  /** @param signal ends the archive with an error */
  constructor(
    private readonly createdAt: Date,
    private readonly signal: AbortSignal,
  ) {
    this.zip.on('error', (error: Error) => this.output.destroy(error));
    // The store handles errors only while it reads.
    this.output.on('error', () => undefined);
  }

  /** The bytes of the archive. */
  get output(): Readable {
    return this.zip.outputStream as Readable;
  }

  /** Returns the result of `work`, or rejects with an AbortError as soon as the archive is aborted. */
  async unlessAborted<Result>(work: Promise<Result>): Promise<Result> {
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(new DOMException('The archive was aborted', 'AbortError'));
    if (this.signal.aborted) abort();
    this.signal.addEventListener('abort', abort);
    try {
      return await Promise.race([aborted.promise, work]);
    } finally {
      this.signal.removeEventListener('abort', abort);
    }
  }

  /** Adds a JSON file with an array of the records of all pages. */
  async addDocument(path: string, first: ExportPage, readPage: ReadPage): Promise<void> {
    const source = Readable.from(this.formatRecords(first, readPage), { objectMode: false });
    await this.add(path, source, { mtime: this.createdAt });
  }

  /**
   * Adds a file. Media are compressed already, so the bytes are stored as they are.
   * @param size - the expected size. A damaged file, whose size differs, is added as it is.
   * @returns the number of stored bytes
   */
  async addFile(
    path: string,
    source: Readable,
    { size, modifiedAt }: { size: number; modifiedAt: number },
  ): Promise<number> {
    let stored = 0;
    const countBytes = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of source as AsyncIterable<Buffer>) {
        stored += chunk.length;
        yield chunk;
      }
    };
    addAbortSignal(this.signal, source);
    const options = { mtime: new Date(modifiedAt), compress: false, forceZip64Format: size > MAX_ZIP32_SIZE };
    await this.add(path, Readable.from(countBytes(), { objectMode: false }), options);
    this.progress.files += 1;
    this.progress.bytes += stored;
    return stored;
  }

  end(): void {
    this.zip.end();
  }

  fail(error: Error): void {
    this.output.destroy(error);
  }

  private async add(path: string, source: Readable, options: Partial<Options>) {
    addAbortSignal(this.signal, source);
    this.zip.addReadStream(source, path, options);
    await finished(source, { writable: false });
  }

  private async *formatRecords(first: ExportPage, readPage: ReadPage): AsyncGenerator<string> {
    let separator = '[\n';
    for (let page: ExportPage | null = first; page;) {
      let text = '';
      for (const record of page.records) {
        text += separator + JSON.stringify(record);
        separator = ',\n';
      }
      this.progress.records += page.records.length;
      if (text !== '') yield text;
      page = page.nextCursor === null ? null : await readPage(page.nextCursor);
    }
    yield separator === '[\n' ? '[]\n' : '\n]\n';
  }
}

/** Characters that file systems do not accept in names, and those that reverse the direction of the text. */
const FORBIDDEN_CHARACTERS = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069<>:"/\\|?*]/gu;
/** Names of devices on Windows, also with an extension. */
const DEVICE_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;
const MAX_NAME_LENGTH = 120;
/** File systems accept 255 bytes; a file's name gets its id as a prefix. */
const MAX_NAME_BYTES = 215;

/** Returns a name that file systems accept as one segment of a path. */
export function toPathSegment(name: string): string {
  const cleaned = name.toWellFormed().replaceAll(FORBIDDEN_CHARACTERS, '_');
  const extension = /\.[A-Za-z0-9]{1,8}$/.exec(cleaned)?.[0] ?? '';
  const isTooLong = (text: string) =>
    [...text].length > MAX_NAME_LENGTH - extension.length ||
    Buffer.byteLength(text) > MAX_NAME_BYTES - extension.length;
  const characters = [...cleaned.slice(0, cleaned.length - extension.length)].slice(0, MAX_NAME_LENGTH);
  while (isTooLong(characters.join(''))) characters.pop();
  const shortened = characters.join('') + extension;
  return shortened.replace(/^\.+|[. ]+$/g, '_').replace(DEVICE_NAME, '_$&') || '_';
}
