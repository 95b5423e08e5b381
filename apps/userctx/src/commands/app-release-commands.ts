import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import {
  AppReleaseListQueryDto,
  AppReleaseReferenceDto,
  SetAppReleaseDto,
} from '@family-watch/domain/operators/dto/app-release.dto';
import {
  EXIT_CODE,
  printLine,
  requireOption,
  UsageError,
  validateArguments,
} from '@family-watch/platform/app/operator/command-line';
import type { AppCommands, AuditedCommand } from '@family-watch/platform/app/operator/operator-command';
import { auditCommand, useCommandDatabase } from './audited-command.js';
import { AppReleaseRepository } from '../operators/app-releases/app-release.repository.js';
import { AppReleasesService } from '../operators/app-releases/app-releases.service.js';

const USAGE = `Sets which versions of the app for parents are offered and supported. The service may be running.

  npm run operator -- app-releases list --platform PLATFORM --channel CHANNEL
  npm run operator -- app-releases set --file FILE
  npm run operator -- app-releases withdraw --platform PLATFORM --channel CHANNEL --version VERSION

  app-releases set       creates or replaces the release of a JSON file with the fields of operator/app-release/set:
                         platform, channel, version, minimumVersion, percentage, notes, url, package
  app-releases withdraw  ends the offer of a release; its minimum version no longer applies

  PLATFORM is ANDROID, IOS, HARMONYOS or WEB. Changes apply in the running service within 30 seconds.

Each command is added to the audit list.
`;

/** The commands `app-releases …`, which run on userctx's database. */
export const appReleaseCommands: AppCommands = {
  usage: USAGE,
  subjects: ['app-releases'],
  run: async (args, _, url) => {
    const command = await parseCommand(args.slice(1));
    return useCommandDatabase(url, async (database) => {
      await auditCommand(database, command.audited);
      await command.run(new AppReleasesService(new AppReleaseRepository(database.unitOfWork)));
      return EXIT_CODE.DONE;
    });
  },
};

interface Command {
  audited: AuditedCommand;
  run(releases: AppReleasesService): Promise<void>;
}

/** @throws UsageError that says which argument is missing or invalid */
async function parseCommand(args: readonly string[]): Promise<Command> {
  const { action, file, ...reference } = parse(args);
  const operation = `app-releases ${action}`;
  switch (action) {
    case 'list': {
      const query = validateArguments(AppReleaseListQueryDto, reference);
      const { platform, channel } = query;
      return {
        audited: { operation, fields: { platform, channel } },
        run: async (releases) => {
          for (const release of (await releases.list(query)).items) printLine(JSON.stringify(release));
        },
      };
    }
    case 'set': {
      const release = validateArguments(SetAppReleaseDto, await readJson(file), {
        nameOf: (field) => `${field} in the file`,
      });
      const { platform, channel, version, minimumVersion, percentage } = release;
      const fields = {
        platform,
        channel,
        version,
        percentage: `${percentage}`,
        ...(minimumVersion && { minimumVersion }),
      };
      return {
        audited: { operation, fields },
        run: async (releases) => {
          await releases.set(release);
          printLine(`${platform}/${channel}/${version} is offered to ${percentage} %`);
        },
      };
    }
    case 'withdraw': {
      const { platform, channel, version } = validateArguments(AppReleaseReferenceDto, reference);
      return {
        audited: { operation, fields: { platform, channel, version } },
        run: async (releases) => {
          await releases.withdraw({ platform, channel, version });
          printLine(`${platform}/${channel}/${version} is withdrawn`);
        },
      };
    }
    default:
      throw new UsageError(USAGE);
  }
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const options = { platform: text, channel: text, version: text, file: text } as const;
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { ...values, action: positionals[0] };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function readJson(file: string | undefined): Promise<Record<string, unknown>> {
  const value = await parseFile(requireOption('file', file));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError('The file must contain a JSON object');
  return value as Record<string, unknown>;
}

async function parseFile(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as unknown;
  } catch (error) {
    throw new UsageError(`The file cannot be read: ${(error as Error).message}`);
  }
}
