import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import { minimalEnvironment } from '../processes/minimal-environment.js';
import { ProcessLimits } from '../processes/process-limits.js';
import { MAX_PIXELS } from '../renderer/render-task.js';
import type { Mp4File, RandomAccessBytes } from './mp4-file.js';

/** No picture can be had of this film. */
export class NoPosterError extends Error {
  override readonly name = 'NoPosterError';
}

const MEBIBYTE = 1024 * 1024;
/** How much of a film is given to ffmpeg: its first picture is there. */
const BEGIN_BYTES = 24 * MEBIBYTE;
const MAX_POSTER_BYTES = 32 * MEBIBYTE;
const LIMITS = { timeMs: 60_000, memory: 1_024 * MEBIBYTE };
/** Pixels of the picture's longer side; the thumbnail is made of it. */
const BOX = 1_280;

/** The reader is told and never guessed: guessing would open what refers to other files. */
const READERS: Readonly<Record<string, string>> = {
  'video/mp4': 'mov',
  'video/quicktime': 'mov',
  'video/3gpp': 'mov',
  'video/3gpp2': 'mov',
  'video/x-m4v': 'mov',
  'video/webm': 'matroska',
  'video/matroska': 'matroska',
  'video/x-matroska': 'matroska',
  'video/vnd.avi': 'avi',
  'video/x-msvideo': 'avi',
};

interface PosterOptions {
  /** Told from the bytes. */
  mediaType: string;
  /** Its structure, where it is known. */
  film: Mp4File | undefined;
  /** Breaks it off. */
  signal: AbortSignal;
}

/** The first picture of a film, by ffmpeg where it is installed. */
@Injectable()
export class PosterService {
  private readonly logger = new Logger(PosterService.name);
  private installed: Promise<boolean> | undefined;

  /** Whether a picture of such a film can be tried for at all. */
  async canExtract(mediaType: string): Promise<boolean> {
    this.installed ??= this.detect();
    return mediaType in READERS && (await this.installed);
  }

  /**
   * @returns the picture as a JPEG, turned upright
   * @throws NoPosterError
   */
  async extractPoster(source: RandomAccessBytes, { mediaType, film, signal }: PosterOptions): Promise<Buffer> {
    const folder = await mkdtemp(join(tmpdir(), 'mcdisk-poster-'));
    try {
      const path = join(folder, 'film');
      await copyBegin(source, path, film);
      return await picture(path, READERS[mediaType] ?? '', signal);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  private async detect(): Promise<boolean> {
    const child = spawn('ffmpeg', ['-version'], { stdio: 'ignore', env: minimalEnvironment() });
    const [code] = (await once(child, 'exit').catch(() => [null])) as [number | null];
    this.logger.log({ msg: 'Video thumbnail support detected', ffmpeg: code === 0 });
    return code === 0;
  }
}

/**
 * The begin of a film and its index, each at its place, with nothing between: ffmpeg jumps to the index, which phones
 * write last.
 */
async function copyBegin(source: RandomAccessBytes, path: string, film: Mp4File | undefined): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await copy(source, file, 0, Math.min(BEGIN_BYTES, source.size));
    if (!film) return;
    await file.truncate(source.size);
    await file.write(film.moov.bytes, 0, film.moov.bytes.length, film.moov.start);
  } finally {
    await file.close();
  }
}

async function copy(source: RandomAccessBytes, file: FileHandle, start: number, end: number): Promise<void> {
  for (let position = start; position < end; position += MEBIBYTE) {
    const bytes = await source.read(position, Math.min(MEBIBYTE, end - position));
    await file.write(bytes, 0, bytes.length, position);
  }
}

async function picture(path: string, reader: string, signal: AbortSignal): Promise<Buffer> {
  const scale = `scale='min(${BOX},iw)':'min(${BOX},ih)':force_original_aspect_ratio=decrease:force_divisible_by=2`;
  const child = spawn(
    'ffmpeg',
    [
      '-nostdin',
      '-v',
      'quiet',
      '-threads',
      '1',
      '-max_pixels',
      String(MAX_PIXELS),
      '-protocol_whitelist',
      'file,pipe',
      '-f',
      reader,
      '-i',
      path,
      '-map',
      '0:v:0',
      '-frames:v',
      '1',
      '-vf',
      scale,
      '-map_metadata',
      '-1',
      '-threads',
      '1',
      '-c:v',
      'mjpeg',
      '-q:v',
      '3',
      '-f',
      'image2pipe',
      'pipe:1',
    ],
    { stdio: ['ignore', 'pipe', 'ignore'], env: minimalEnvironment(), signal, killSignal: 'SIGKILL' },
  );
  const limits = new ProcessLimits(child, LIMITS);
  const stopWatching = limits.watch();
  try {
    const [bytes] = await Promise.all([outputOf(child), ended(child, limits)]);
    return bytes;
  } finally {
    stopWatching();
    child.kill('SIGKILL');
  }
}

async function ended(child: ChildProcessByStdio<null, Readable, null>, limits: ProcessLimits): Promise<void> {
  const exit = once(child, 'exit');
  stepBack(child.pid);
  const [code, signal] = (await exit) as [number | null, NodeJS.Signals | null];
  if (code !== 0) throw new NoPosterError(`ffmpeg ended: ${limits.exceeded ?? signal ?? code}`);
}

async function outputOf({ stdout }: ChildProcessByStdio<null, Readable, null>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_POSTER_BYTES) throw new NoPosterError('The picture is too large');
    chunks.push(chunk);
  }
  if (size === 0) throw new NoPosterError('The film has no picture');
  return Buffer.concat(chunks);
}

/** Requests come first. */
function stepBack(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already.
  }
}
