import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsUrl, ValidateBy } from 'class-validator';
import { valid } from 'semver';
import {
  BooleanField,
  EnumField,
  IntegerField,
  NestedField,
  NestedListField,
  StringField,
  UnixMillisecondsField,
  type FieldOptions,
} from '../../kernel/dto/fields.js';
import {
  APP_CHANNEL_PATTERN,
  APP_PLATFORM,
  APP_RELEASE_LIMITS,
  MAX_APP_RELEASES,
  MAX_VERSION_LENGTH,
  NOTES_LANGUAGE_PATTERN,
  type AppPlatform,
} from '../contracts/app-release.js';

function ChannelField(): PropertyDecorator {
  return StringField({ pattern: APP_CHANNEL_PATTERN, maxLength: 32, example: 'stable' });
}

/** Version in the form of SemVer 2.0.0, without a leading `v`. */
function VersionField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    StringField({ minLength: 1, maxLength: MAX_VERSION_LENGTH, example: '2.4.0', ...options }),
    ValidateBy({
      name: 'isSemVer',
      validator: {
        validate: (value) => typeof value !== 'string' || (/^\d/.test(value) && valid(value) !== null),
        defaultMessage: () => '$property must be a version such as 2.4.0 (SemVer)',
      },
    }),
  );
}

/** Notes by language. */
function NotesField(): PropertyDecorator {
  const { languages, notesLength } = APP_RELEASE_LIMITS;
  return applyDecorators(
    ValidateBy({
      name: 'isNotes',
      validator: {
        validate: (value: unknown) => {
          if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
          const entries = Object.entries(value);
          const isNote = ([language, text]: [string, unknown]) =>
            NOTES_LANGUAGE_PATTERN.test(language) &&
            typeof text === 'string' &&
            text.length <= notesLength &&
            text.isWellFormed() &&
            !text.includes('\u0000');
          return entries.length > 0 && entries.length <= languages && entries.every(isNote);
        },
        defaultMessage: () =>
          `$property must have 1 to ${languages} languages, each with a text of at most ${notesLength} characters`,
      },
    }),
    ApiProperty({
      type: 'object',
      additionalProperties: { type: 'string', maxLength: notesLength },
      description: 'Notes by language (BCP 47)',
      example: { en: 'Faster maps', 'zh-CN': '地图更快' },
    }),
  );
}

function HttpsUrlField(): PropertyDecorator {
  return applyDecorators(
    StringField({
      maxLength: APP_RELEASE_LIMITS.urlLength,
      description: 'Address of the app in its store, or of the package',
      example: 'https://apps.example.com/family-watch',
    }),
    IsUrl({ protocols: ['https'], require_protocol: true, require_tld: true, disallow_auth: true }),
  );
}

/** Identifies a release. */
export class AppReleaseReferenceDto {
  @EnumField(APP_PLATFORM)
  platform!: AppPlatform;

  @ChannelField()
  channel!: string;

  @VersionField()
  version!: string;
}

class PackageDto {
  @StringField({
    pattern: /^[0-9a-f]{64}$/,
    maxLength: 64,
    description: 'SHA-256 of the package, hexadecimal',
    example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  })
  sha256!: string;

  @IntegerField({ min: 1, description: 'Size of the package in bytes', example: 41_943_040 })
  bytes!: number;
}

export class SetAppReleaseDto extends AppReleaseReferenceDto {
  @VersionField({
    optional: true,
    description: 'Older versions are no longer supported; at most `version`. Omitted: the release changes nothing.',
  })
  minimumVersion?: string;

  @IntegerField({
    min: 0,
    max: 100,
    description: 'Percentage of the installations to which the release is offered',
    example: 10,
  })
  percentage!: number;

  @NotesField()
  notes!: Record<string, string>;

  @HttpsUrlField()
  url!: string;

  @NestedField(() => PackageDto, { optional: true, description: 'Only if `url` is the address of a package' })
  package?: PackageDto;
}

export class AppReleaseDto extends AppReleaseReferenceDto {
  @VersionField({ nullable: true })
  minimumVersion!: string | null;

  @IntegerField({ min: 0, max: 100 })
  percentage!: number;

  @NotesField()
  notes!: Record<string, string>;

  @HttpsUrlField()
  url!: string;

  @NestedField(() => PackageDto, { nullable: true })
  package!: PackageDto | null;

  @UnixMillisecondsField()
  createdAt!: number;

  @UnixMillisecondsField()
  changedAt!: number;

  @UnixMillisecondsField({ nullable: true, description: 'Null while the release is offered' })
  withdrawnAt!: number | null;
}

export class AppReleaseListDto {
  @NestedListField(() => AppReleaseDto, { maxItems: MAX_APP_RELEASES, description: 'Newest version first' })
  items!: AppReleaseDto[];
}

export class AppReleaseListQueryDto {
  @EnumField(APP_PLATFORM)
  platform!: AppPlatform;

  @ChannelField()
  channel!: string;
}

export class CheckAppUpgradeDto extends AppReleaseReferenceDto {
  @StringField({
    minLength: 8,
    maxLength: 64,
    description: 'Random text that the app creates at its installation; decides whether a staged release is offered',
    example: '5f0c6c9e-6b0a-4d0e-9f55-0d6f2a7c1b11',
  })
  installationId!: string;

  @StringField({
    optional: true,
    pattern: NOTES_LANGUAGE_PATTERN,
    maxLength: 32,
    description: 'Language of the notes (BCP 47); without notes in this language, those in English or another language',
    example: 'zh-CN',
  })
  language?: string;
}

class OfferedAppReleaseDto {
  @VersionField()
  version!: string;

  @StringField({ description: 'Notes in the language of the request, if there are some', example: 'Faster maps' })
  notes!: string;

  @HttpsUrlField()
  url!: string;

  @NestedField(() => PackageDto, { nullable: true, description: 'Null if `url` is the address of a store' })
  package!: PackageDto | null;
}

export class AppUpgradeDto {
  @BooleanField({ description: 'False if other operations reject this version of the app' })
  supported!: boolean;

  @VersionField({ nullable: true, description: 'Lowest supported version; null if all versions are supported' })
  minimumVersion!: string | null;

  @NestedField(() => OfferedAppReleaseDto, { nullable: true, description: 'Null if the app has the newest version' })
  release!: OfferedAppReleaseDto | null;
}
