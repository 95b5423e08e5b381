import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import { minimalEnvironment, ProcessLimits } from '../process-limits.js';
import { MAX_PIXELS } from '../renderer/render-task.js';
import type { Mp4File, RandomAccessBytes } from '../../storage/blobs/mp4-file.js';

/** No poster can be extracted from this video. */
export class NoPosterError extends Error {
  override readonly name = 'NoPosterError';
}

const MEBIBYTE = 1024 * 1024;
/** Number of bytes from the start of a video that are passed to ffmpeg, enough for the first frame. */
const HEAD_BYTES = 24 * MEBIBYTE;
const MAX_POSTER_BYTES = 32 * MEBIBYTE;
const FFMPEG_LIMITS = { timeMs: 60_000, memoryBytes: 1_024 * MEBIBYTE };
/** Maximum length of the longer edge of the poster, pixels; the thumbnail is generated from the poster. */
const MAX_EDGE_PX = 1_280;

/**
 * The ffmpeg demuxer for each media type. ffmpeg must not choose the demuxer from the bytes, because it could choose a
 * format that refers to other files.
 */
const DEMUXERS: Readonly<Record<string, string>> = {
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
  /** Detected from the bytes. */
  mediaType: string;
  /** The parsed structure of the video, or `undefined` when it could not be read. */
  video: Mp4File | undefined;
  /** Aborts the extraction. */
  signal: AbortSignal;
}

/** Extracts the first frame of a video with ffmpeg, if ffmpeg is installed. */
@Injectable()
export class PosterService {
  private readonly logger = new Logger(PosterService.name);
  private ffmpegCheck: Promise<boolean> | undefined;

  /** Returns whether extraction can be attempted for this media type. */
  async canExtract(mediaType: string): Promise<boolean> {
    this.ffmpegCheck ??= this.detectFfmpeg();
    return mediaType in DEMUXERS && (await this.ffmpegCheck);
  }

  /**
   * Extracts the first frame.
   * @returns a JPEG, rotated upright
   * @throws NoPosterError
   */
  async extractPoster(source: RandomAccessBytes, { mediaType, video, signal }: PosterOptions): Promise<Buffer> {
    const directory = await mkdtemp(join(tmpdir(), 'mcdisk-poster-'));
    try {
      const path = join(directory, 'video');
      await copyHead(source, path, video);
      return await runFfmpeg(path, DEMUXERS[mediaType] ?? '', signal);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  private async detectFfmpeg(): Promise<boolean> {
    const child = spawn('ffmpeg', ['-version'], { stdio: 'ignore', env: minimalEnvironment() });
    const [code] = (await once(child, 'exit').catch(() => [null])) as [number | null];
    this.logger.log({ msg: 'Video thumbnail support detected', ffmpeg: code === 0 });
    return code === 0;
  }
}

/**
 * Copies the start of a video and its index to a file, at their original offsets; the rest of the file is empty. The
 * index is needed because ffmpeg seeks to the index, which phones write at the end.
 */
async function copyHead(source: RandomAccessBytes, path: string, video: Mp4File | undefined): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await copyRange(source, file, 0, Math.min(HEAD_BYTES, source.size));
    if (!video) return;
    await file.truncate(source.size);
    await file.write(video.moov.bytes, 0, video.moov.bytes.length, video.moov.start);
  } finally {
    await file.close();
  }
}

async function copyRange(source: RandomAccessBytes, file: FileHandle, start: number, end: number): Promise<void> {
  for (let position = start; position < end; position += MEBIBYTE) {
    const bytes = await source.read(position, Math.min(MEBIBYTE, end - position));
    await file.write(bytes, 0, bytes.length, position);
  }
}

async function runFfmpeg(path: string, demuxer: string, signal: AbortSignal): Promise<Buffer> {
  const scale = `scale='min(${MAX_EDGE_PX},iw)':'min(${MAX_EDGE_PX},ih)':force_original_aspect_ratio=decrease:force_divisible_by=2`;
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
      demuxer,
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
  const limits = new ProcessLimits(child, FFMPEG_LIMITS);
  const stopEnforcing = limits.startEnforcing();
  try {
    const [bytes] = await Promise.all([outputOf(child), waitForExit(child, limits)]);
    return bytes;
  } finally {
    stopEnforcing();
    child.kill('SIGKILL');
  }
}

async function waitForExit(child: ChildProcessByStdio<null, Readable, null>, limits: ProcessLimits): Promise<void> {
  const exit = once(child, 'exit');
  lowerPriority(child.pid);
  const [code, signal] = (await exit) as [number | null, NodeJS.Signals | null];
  if (code !== 0) throw new NoPosterError(`ffmpeg exited: ${limits.exceededLimit ?? signal ?? code}`);
}

async function outputOf({ stdout }: ChildProcessByStdio<null, Readable, null>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_POSTER_BYTES) throw new NoPosterError('The poster is too large');
    chunks.push(chunk);
  }
  if (size === 0) throw new NoPosterError('The video has no picture');
  return Buffer.concat(chunks);
}

/** Lowers the priority of a process, so that requests have priority. */
function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // The process has already exited.
  }
}
