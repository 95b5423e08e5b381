import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { INestApplicationContext } from '@nestjs/common';
import {
  FIRMWARE_VERSION_PATTERN,
  FIRMWARE_LIMITS,
  ROLLOUT_ACTION,
  ROLLOUT_ERROR_ACTION,
  type FirmwareManifest,
} from '@family-watch/domain/watches/contracts/firmware';
import type { CreateRolloutDto, RolloutDto } from '@family-watch/domain/watches/dto/firmware.dto';
import { COMMAND_LINE_ACTOR } from '@family-watch/domain/operators/contracts/operator';
import { Environment } from '@family-watch/platform/config/environment';
import {
  EXIT_CODE,
  printLine,
  requireOption,
  UsageError,
  type CommandOptions,
  type ServiceCommand,
} from '@family-watch/platform/app/operator/command-line';
import { FirmwareGroupsService } from '../watches/firmware/firmware-groups.service.js';
import { FirmwareImagesService } from '../watches/firmware/firmware-images.service.js';
import { RolloutsService } from '../watches/firmware/rollouts.service.js';

export const FIRMWARE_OPTIONS = [
  'model',
  'version',
  'signature',
  'key-id',
  'url',
  'image',
  'group',
  'waves',
  'success',
  'error',
  'on-error',
  'battery',
  'charging',
  'school-time',
  'start',
] as const;

export const FIRMWARE_USAGE = `  npm run operator -- firmware upload --file FILE --model MODEL --version VERSION --signature FILE --key-id NAME [--url URL]
  npm run operator -- firmware list [--model MODEL]
  npm run operator -- firmware withdraw IMAGE
  npm run operator -- rollouts create --image IMAGE [--group GROUP] [--waves 1,10,50,100] [--success N] [--error N]
      [--on-error pause|stop] [--battery N] [--charging yes|no] [--school-time avoid|ignore] [--start TIME]
  npm run operator -- rollouts list
  npm run operator -- rollouts get ROLLOUT
  npm run operator -- rollouts (start | pause | resume | advance | stop) ROLLOUT
  npm run operator -- watch-groups create --name NAME
  npm run operator -- watch-groups list
  npm run operator -- watch-groups (add | remove) --group GROUP DID...
  npm run operator -- watch-groups delete GROUP

  firmware upload   announces a signed image and uploads its bytes to the running service at URL (PUBLIC_URL by default);
                    --signature is a file with the 64 bytes of the Ed25519 signature (docs/firmware.md)
  firmware withdraw stops the rollouts of an image and deletes its bytes
  rollouts create   prepares a rollout to all watches of the image's model, or of a group; --success and --error are the
                    thresholds in per cent; --start is a time (ISO 8601), without it "rollouts start" starts the rollout
  rollouts advance  begins the next wave before the success threshold
`;

/** The commands for firmware images, rollouts and groups of watches. */
export const firmwareCommands: Readonly<Record<string, ServiceCommand>> = {
  'firmware upload': {
    fields: (options) => ({
      model: requireOption('model', options['model']),
      version: requireOption('version', options['version']),
      keyId: requireOption('key-id', options['key-id']),
      file: requireOption('file', options['file']),
      signature: requireOption('signature', options['signature']),
    }),
    run: upload,
  },
  'firmware list': {
    fields: ({ model }) => ({ ...(model !== undefined && { model }) }),
    run: async (app, { model }) => {
      const images = app.get(FirmwareImagesService, { strict: false });
      return printPages((cursor) => images.list({ cursor, limit: 200, ...(model !== undefined && { model }) }));
    },
  },
  'firmware withdraw': {
    fields: (_, args) => ({ imageId: onlyArgument(args, 'IMAGE') }),
    run: async (app, _, args) => {
      const imageId = onlyArgument(args, 'IMAGE');
      await app.get(FirmwareImagesService, { strict: false }).withdraw(imageId);
      printLine(`${imageId} withdrawn`);
      return EXIT_CODE.DONE;
    },
  },
  'rollouts create': {
    fields: ({ image, group, start }) => ({
      imageId: requireOption('image', image),
      ...(group !== undefined && { groupId: group }),
      ...(start !== undefined && { startAt: start }),
    }),
    run: async (app, options) => printRollout(await rolloutsOf(app).create(parseRollout(options))),
  },
  'rollouts list': {
    fields: () => ({}),
    run: (app) => printPages((cursor) => rolloutsOf(app).list({ cursor, limit: 200 })),
  },
  'rollouts get': {
    fields: (_, args) => ({ rolloutId: onlyArgument(args, 'ROLLOUT') }),
    run: async (app, _, args) => printRollout(await rolloutsOf(app).get(onlyArgument(args, 'ROLLOUT'))),
  },
  ...Object.fromEntries(
    Object.values(ROLLOUT_ACTION).map((action) => [
      `rollouts ${action.toLowerCase()}`,
      {
        fields: (_: CommandOptions, args: readonly string[]) => ({ rolloutId: onlyArgument(args, 'ROLLOUT') }),
        run: async (app: INestApplicationContext, _: CommandOptions, args: readonly string[]) =>
          printRollout(await rolloutsOf(app).change({ rolloutId: onlyArgument(args, 'ROLLOUT'), action })),
      },
    ]),
  ),
  'watch-groups create': {
    fields: ({ name }) => ({ name: requireOption('name', name) }),
    run: async (app, { name = '' }) => {
      if (name === '' || name.length > 64) throw new UsageError('--name must have 1 to 64 characters');
      printLine(JSON.stringify(await groupsOf(app).create(name)));
      return EXIT_CODE.DONE;
    },
  },
  'watch-groups list': {
    fields: () => ({}),
    run: async (app) => {
      for (const group of (await groupsOf(app).list()).items) printLine(JSON.stringify(group));
      return EXIT_CODE.DONE;
    },
  },
  'watch-groups add': changeGroup('added', (groups, request) => groups.addWatches(request)),
  'watch-groups remove': changeGroup('removed', (groups, request) => groups.removeWatches(request)),
  'watch-groups delete': {
    fields: (_, args) => ({ groupId: onlyArgument(args, 'GROUP') }),
    run: async (app, _, args) => {
      const groupId = onlyArgument(args, 'GROUP');
      await groupsOf(app).delete(groupId);
      printLine(`${groupId} deleted`);
      return EXIT_CODE.DONE;
    },
  },
};

const ROLLOUT_ERROR_ACTIONS = { pause: ROLLOUT_ERROR_ACTION.PAUSE, stop: ROLLOUT_ERROR_ACTION.STOP };

const rolloutsOf = (app: INestApplicationContext) => app.get(RolloutsService, { strict: false });
const groupsOf = (app: INestApplicationContext) => app.get(FirmwareGroupsService, { strict: false });

function changeGroup(
  done: string,
  change: (groups: FirmwareGroupsService, request: { groupId: string; dids: number[] }) => Promise<{ changed: number }>,
): ServiceCommand {
  return {
    fields: ({ group }, args) => ({ groupId: requireOption('group', group), dids: `${args.length} items` }),
    run: async (app, { group = '' }, args) => {
      const dids = args.map(Number);
      if (dids.length === 0 || dids.length > FIRMWARE_LIMITS.watchesPerRequest || !dids.every(isDid))
        throw new UsageError('DID must be the id of a watch');
      const { changed } = await change(groupsOf(app), { groupId: group, dids });
      printLine(`${changed} of ${dids.length} watches ${done}`);
      return EXIT_CODE.DONE;
    },
  };
}

const isDid = (did: number): boolean => Number.isSafeInteger(did) && did > 0;

/** Announces the image, sends its bytes to the service, and prints the id of the image. */
async function upload(app: INestApplicationContext, options: CommandOptions): Promise<number> {
  const { file = '', 'key-id': keyId = '', signature: signatureFile = '' } = options;
  const manifest = await readManifest(file, options);
  const signature = (await readFile(signatureFile).catch(toUsageError)).toString('base64url');
  const { PUBLIC_URL, PORT } = app.get(Environment, { strict: false });
  const origin = (options['url'] ?? PUBLIC_URL ?? `http://127.0.0.1:${PORT}`).replace(/\/+$/, '');
  const images = app.get(FirmwareImagesService, { strict: false });
  const { imageId, uploadUrl } = await images.create(
    { ...manifest, signature, keyId },
    origin,
    `operator:${COMMAND_LINE_ACTOR}`,
  );
  if (uploadUrl !== null) await sendFile(file, uploadUrl, origin);
  printLine(`${imageId} uploaded`);
  return EXIT_CODE.DONE;
}

async function readManifest(file: string, { model = '', version = '' }: CommandOptions): Promise<FirmwareManifest> {
  if (!FIRMWARE_VERSION_PATTERN.test(version))
    throw new UsageError('--version must be one to four numbers separated by dots, such as 2.5.0');
  if (model === '' || model.length > 64) throw new UsageError('--model must have 1 to 64 characters');
  const { size } = await stat(file).catch(toUsageError);
  if (size === 0 || size > FIRMWARE_LIMITS.imageBytes)
    throw new UsageError(`The image must have 1 to ${FIRMWARE_LIMITS.imageBytes} bytes`);
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return { model, version, size, digest: hash.digest('hex') };
}

async function sendFile(file: string, uploadUrl: string, origin: string): Promise<void> {
  const response = await fetch(uploadUrl, { method: 'PUT', body: await openAsBlob(file) }).catch((error: unknown) => {
    throw new UsageError(`The service cannot be reached at ${origin}: ${(error as Error).message}`);
  });
  if (response.ok) return;
  const { msg } = (await response.json().catch(() => ({}))) as { msg?: string };
  throw new UsageError(`The service rejected the upload: ${msg ?? response.status}`);
}

function toUsageError(error: Error): never {
  throw new UsageError(`The file cannot be read: ${error.message}`);
}

function parseRollout(options: CommandOptions): CreateRolloutDto {
  const { image = '', group, waves, success, error, battery, start } = options;
  const startAt = start === undefined ? undefined : Date.parse(start);
  if (Number.isNaN(startAt)) throw new UsageError('--start must be a time in ISO 8601, such as 2026-11-22T08:00:00Z');
  const errorAction = parseChoice('on-error', options['on-error'], ROLLOUT_ERROR_ACTIONS);
  return {
    imageId: image,
    ...(group !== undefined && { groupId: group }),
    ...(waves !== undefined && { waves: parseWaves(waves) }),
    ...(success !== undefined && { successThreshold: parsePercent('success', success, 1) }),
    ...(error !== undefined && { errorThreshold: parsePercent('error', error, 1) }),
    ...(errorAction !== undefined && { errorAction }),
    ...(battery !== undefined && { minBattery: parsePercent('battery', battery, 0) }),
    ...(options['charging'] !== undefined && {
      requiresCharging: parseChoice('charging', options['charging'], { yes: true, no: false }),
    }),
    ...(options['school-time'] !== undefined && {
      avoidsSchoolTime: parseChoice('school-time', options['school-time'], { avoid: true, ignore: false }),
    }),
    ...(startAt !== undefined && { startAt }),
  };
}

function parseWaves(text: string): number[] {
  const waves = text.split(',').map((part) => parsePercent('waves', part, 1));
  const isAscending = waves.every((percent, index) => percent > (waves[index - 1] ?? 0));
  if (!isAscending || waves.at(-1) !== 100 || waves.length > FIRMWARE_LIMITS.waves)
    throw new UsageError(`--waves must be ascending percentages that end with 100, at most ${FIRMWARE_LIMITS.waves}`);
  return waves;
}

function parsePercent(name: string, text: string, min: number): number {
  const percent = /^\d{1,3}$/.test(text) ? Number(text) : -1;
  if (percent < min || percent > 100) throw new UsageError(`--${name} must be a number from ${min} to 100`);
  return percent;
}

function parseChoice<Value>(
  name: string,
  text: string | undefined,
  choices: Readonly<Record<string, Value>>,
): Value | undefined {
  if (text === undefined) return undefined;
  if (!Object.hasOwn(choices, text)) throw new UsageError(`--${name} must be ${Object.keys(choices).join(' or ')}`);
  return choices[text];
}

function onlyArgument(args: readonly string[], name: string): string {
  const [argument] = args;
  if (argument === undefined || args.length > 1) throw new UsageError(`${name} must be one id`);
  return argument;
}

function printRollout(rollout: RolloutDto): number {
  printLine(JSON.stringify(rollout));
  return EXIT_CODE.DONE;
}

async function printPages(
  findPage: (cursor: string | undefined) => Promise<{ items: readonly object[]; nextCursor: string | null }>,
): Promise<number> {
  for (let cursor: string | undefined; ;) {
    const { items, nextCursor } = await findPage(cursor);
    for (const item of items) printLine(JSON.stringify(item));
    if (nextCursor === null) return EXIT_CODE.DONE;
    cursor = nextCursor;
  }
}
